import { loadOwnRobot } from '../robots/files.ts'
import { createFreeBody } from '../robots/index.ts'
import { type GradientDirection, gradientModels, StepGradient, World, type WorldOptions } from '../simulation/index.ts'

/** Rounds, of which the first warm up and the faster half of the others counts, and steps of each. */
const ROUNDS = 40
const WARM = 4
const STEPS = 150

const block = createFreeBody({ name: 'block', shape: { type: 'box', size: [0.3, 0.2, 0.1] }, mass: 2 })
const scenes: Readonly<Record<string, Omit<WorldOptions, 'contactModel'>>> = {
  'sliding block': { robot: block, dt: 2e-3, q: [0, 0, 0.05, 0, 0, 0, 1], v: [0, 0, 3, 1, 0, 0] },
  quadruped: { robot: loadOwnRobot('quadruped'), dt: 1e-3 },
  humanoid: { robot: loadOwnRobot('humanoid'), dt: 1e-3 },
  diffdrive: { robot: loadOwnRobot('diffdrive'), dt: 1e-3 },
}

/** Processor time of a step by itself, and with gradients, in turns: `npm run bench -- gradient [MODEL ...]`. */
export function gradientTable(models: readonly string[]): void {
  for (const model of models.length > 0 ? models : gradientModels) {
    for (const [name, scene] of Object.entries(scenes)) {
      const drift = model === 'anitescu-potra' ? { contactOptions: { drift: 'baumgarte' } } : {}
      const options = { ...scene, contactModel: model, ...drift } as WorldOptions
      const world = new World(options)
      const dv = Array.from({ length: world.model.nv }, (_, k) => ((k * 7) % 5) / 5 - 0.4)
      const all: Readonly<Record<string, readonly GradientDirection[]>> = {
        'of a start': [{ dv }],
        'of friction': [{ parameter: { kind: 'friction' } }],
        'of a mass': [{ parameter: { kind: 'mass', body: 1 } }],
        'of four starts': [{ dv }, { dv }, { dv }, { dv }],
      }
      const made = Object.values(all).map((directions) => ({ directions, gradient: new StepGradient(options, directions) }))
      const start = world.checkpoint()
      const times: number[][] = [[], ...made.map(() => [])]
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, one] of [undefined, ...made].entries()) {
          const stepped = one?.gradient ?? world
          ;(one?.gradient.world ?? world).restore(start)
          for (const [k, { dq, dv }] of (one?.gradient.directions ?? []).entries()) {
            dq.fill(0)
            dv.set(one?.directions[k].dv ?? new Array(dv.length).fill(0))
          }
          const before = process.cpuUsage().user
          for (let n = 0; n < STEPS; n++) stepped.step()
          if (round >= WARM) times[i].push((process.cpuUsage().user - before) / STEPS)
        }
      }
      const half = (ROUNDS - WARM) / 2
      const [alone, ...others] = times.map((all) => all.sort((a, b) => a - b).slice(0, half).reduce((sum, x) => sum + x) / half) // biome-ignore format: one line
      const ratios = Object.keys(all).map((of, i) => `${of} ${(others[i] / alone).toFixed(2)}`)
      console.log(`${model}, ${name}: ${alone.toFixed(1)} us a step; with gradients ${ratios.join(', ')} times that`)
    }
  }
}
