/**
 * Robots at edges and corners (docs/results.md). By default the velocity-level models that the scenes are about, at the largest step; with
 * FEATHERBED_FULL every model at every step.
 */
import { describe, expect, test } from 'vitest'
import { SurfaceMeter } from '../../compare/measure/meters/surfaces.ts'
import { type ContactModelName, contactModels } from '../../contact/index.ts'
import { createData, kinematics } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { box, fixedBox, makeWorld } from '../contact/laws/scenes.ts'
import { full } from '../dailyModels.ts'
import { type EdgeOutcome, edgeRun, edgeScene, edgeScenes, edgeSteps, hasAtlas, withoutAtlas } from './edgeScenes.ts'

const models = full ? (Object.keys(contactModels) as ContactModelName[]) : (['stewart-trinkle', 'lnc', 'peg'] as const)
const steps = full ? edgeSteps : [edgeSteps[2]]
if (!full) console.log('not run: edge scenes under every model at every step; set FEATHERBED_FULL')
if (!hasAtlas) console.log(withoutAtlas)

/** How far a path of 0.25 m/s leads that sets off within a second and stops within another, behind eight: a half, seven, a half. */
const way = 0.25 * 8

interface End {
  /** Of the base [m]; where it stands by its own weight alone it is there to `within`. */
  readonly position: readonly [number, number, number]
  readonly within: number
}

/** Where robots end by their controllers' targets; the wheels' slip on an edge and the waving arms' reaction move them from there by less. */
const ends: Readonly<Record<string, End>> = {
  curb: { position: [way * Math.cos(Math.PI / 9), way * Math.sin(Math.PI / 9), 0.1], within: 0.04 },
  step: { position: [way * Math.cos(Math.PI / 9), way * Math.sin(Math.PI / 9), 0.1], within: 0.04 },
  ramp: { position: [way * Math.cos(Math.PI / 45), way * Math.sin(Math.PI / 45), 0.1], within: 0.06 },
  ledge: { position: [0, 0, 1.13845], within: 0.002 },
  'ledge, Atlas': { position: [0, 0, 1.13845], within: 0.01 },
  stack: { position: [0, 0, 0.05], within: 0.002 },
}

/**
 * Springs give way: by more than a millimetre under ten blocks where they are sized for one, and by as much as throws down a robot
 * whose controller counts on ground that does not move.
 */
const isSoft = (model: string) => ['penalty', 'penalty-deepest', 'hunt-crossley'].includes(model)
/** The softness that `mujoco` has by default throws down the humanoids on the ledge at steps of 5 ms; that of `drake` lets the stack sink by a centimetre too. */
const givesWay = (scene: string, model: string) => isSoft(model) || model === 'drake' || (model === 'mujoco' && scene !== 'stack')
const staysUp = (scene: string, model: string) => !rests(scene) || !givesWay(scene, model)

/** Wheels on half-spaces are held as stewart-trinkle holds them: a step of v h is off by (v h)² / 2 R, at 0.25 m/s and 10 ms on 0.1 m [m]. */
const rolled = (0.25 * 1e-2) ** 2 / (2 * 0.1)
const rolls = (scene: string) => ['curb', 'step', 'ramp'].includes(scene)

function checkPeg(scene: string, { metrics, tunnelling, steps: taken }: EdgeOutcome): void {
  expect(metrics.offSurfaceImpulse_Ns).toBe(0)
  expect(tunnelling).toBeLessThan(1)
  // what a step may end with, twice over for the pairs that share a body
  expect(metrics.penetrationMax_m).toBeLessThan(rolls(scene) ? rolled : 2e-6)
  expect(metrics.solverFailures).toBe(0)
  expect(metrics.fallbacks).toBeLessThanOrEqual(taken / 1000)
}

/**
 * A vertex that is in front of one face of another block is all that LNC asks for, and one that is flush with an edge is in front of a side:
 * the blocks sink into each other, all their vertices meet, and a step takes longer and longer.
 */
const collapses = (scene: string, model: string) => scene === 'stack' && model === 'lnc'

/** What only has to stay where it is does so within two seconds, or never. */
const rests = (scene: string) => scene === 'stack' || scene.startsWith('ledge')

for (const each of edgeScenes) {
  describe(each.name, () => {
    const scene = edgeScene(each, full || !rests(each.name) ? undefined : 2)
    for (const model of models.filter((name) => !collapses(each.name, name))) {
      for (const dt of steps) {
        test(`${model} at ${dt * 1e3} ms comes to the end of its way, above the ground`, async () => {
          const outcome = edgeRun(await scene, model, dt)
          if (staysUp(each.name, model)) {
            const { position, within } = ends[each.name]
            // springs sink, and the more so with the step
            const sunk = isSoft(model) ? 0.02 : 0
            expect(outcome).toMatchObject({ failure: '', fell: false })
            expect(Math.hypot(...outcome.position.map((x, k) => x - position[k]))).toBeLessThan(within + sunk)
          } else expect(outcome.steps).toBeGreaterThan(0) // what becomes of it stands in docs/results.md
          if (model === 'peg') checkPeg(each.name, outcome)
        })
      }
    }
  })
}

describe('impulses off the surface', () => {
  /** A cube whose near corner is 2 mm inside of a ledge's edge and 5 mm above it, and moves out and down at 1 m/s each. */
  const passing = (contactModel: ContactModelName) =>
    makeWorld({
      robots: [{ robot: box([0.1, 0.1, 0.1], 1), q: [0.048, 0, 0.055, 0, 0, 0, 1], v: [0, 0, 0, 1, 0, -1] }],
      fixtures: [fixedBox('ledge', [-0.5, 0, -0.5], [1, 1, 1])],
      model: contactModel,
      dt: 1e-2,
    })

  function taken(world: World): { all: number; off: number } {
    const meter = new SurfaceMeter(world)
    const [start, end] = [createData(world.model), createData(world.model)]
    kinematics(world.model, world.state, start)
    world.step()
    kinematics(world.model, world.state, end)
    const { contacts } = world
    let all = 0
    let off = 0
    for (let c = 0; c < contacts.count; c++) {
      all += contacts.impulse[3 * c]
      if (contacts.impulse[3 * c] > 0 && meter.isOff(contacts, c, start, end)) off += contacts.impulse[3 * c]
    }
    return { all, off }
  }

  test('a corner that passes an edge is blocked by the plane of the ledge, which is told whole', () => {
    const { all, off } = taken(passing('stewart-trinkle'))
    expect(all).toBeGreaterThan(0)
    expect(off).toBe(all)
  })

  test('a model that lets it pass has none', () => {
    expect(taken(passing('peg'))).toEqual({ all: 0, off: 0 })
    expect(taken(passing('penalty'))).toEqual({ all: 0, off: 0 })
  })

  test('what slides over an edge, and what rests, is on the surface', () => {
    const sliding = makeWorld({
      robots: [{ robot: box([0.1, 0.1, 0.1], 1), q: [-0.052, 0, 0.05, 0, 0, 0, 1], v: [0, 0, 0, 1, 0, 0] }],
      fixtures: [fixedBox('ledge', [-0.5, 0, -0.5], [1, 1, 1])],
      model: 'stewart-trinkle',
      dt: 1e-2,
    })
    const { all, off } = taken(sliding)
    expect(all).toBeGreaterThan(0.9 * 9.81e-2) // the weight of 1 kg for 10 ms, but for what it turns
    expect(off).toBe(0)
  })
})
