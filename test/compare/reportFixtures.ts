/** Results made by hand, so that what a report shows can be told from what was put in. */
import type { Results, RunResult } from '../../compare/compare.ts'
import { metricDefinitions } from '../../compare/metricDefinitions.ts'
import type { Metrics } from '../../compare/metrics.ts'
import type { ReportPlots } from '../../compare/report/subject.ts'
import type { DrawnShape, Snapshot } from '../../compare/snapshot.ts'

export interface Made {
  readonly results: Results
  readonly plots: readonly ReportPlots[]
}

export interface Wanted {
  readonly robot?: string
  readonly models?: readonly string[]
  readonly steps?: readonly number[]
  readonly seeds?: readonly number[]
  readonly duration?: number
  /** Changes to the run of a model, step and seed. */
  readonly change?: (model: string, dt: number, seed: number) => Partial<RunResult>
  readonly plotsOf?: (model: string, dt: number) => Partial<ReportPlots>
  /** null: none fits. */
  readonly verdict?: readonly [model: string, dt: number] | null
}

/** Every metric that there is. */
const none = Object.fromEntries(Object.keys(metricDefinitions).map((key) => [key, 0])) as unknown as Metrics
const limits = { penetration: 1e-3, tracking: 0.01, energy: 0.01 }

export function made({
  robot = 'cart',
  models = ['spring', 'rigid'],
  steps = [1e-3, 1e-2],
  seeds = [1],
  duration = 2,
  change = () => ({}),
  plotsOf = () => ({}),
  verdict = [models[0], steps[0]],
}: Wanted = {}): Made {
  const runs: RunResult[] = []
  const plots: ReportPlots[] = []
  models.forEach((model, m) => {
    for (const dt of steps) {
      for (const seed of seeds) {
        const changed = change(model, dt, seed)
        runs.push({
          robot,
          controller: 'hold',
          controllerPeriod_s: dt,
          model,
          dt,
          seed,
          status: 'ok',
          failure: null,
          hash: `${m}${String(dt).replace(/\W/g, '')}${seed}`.padStart(16, '0'),
          metrics: {
            ...none,
            penetrationMax_m: 4e-4,
            penetrationMean_m: 2e-4,
            restKineticEnergy_J: null,
            energyGain_J: 0,
            stickSlip_m: 1e-4 * (m + 1),
            coneViolation_N: 0,
            complementarity: 0,
            momentumError: 1e-6,
            trackingRms_rad: 0.1,
            trackingRms_m: null,
            torqueRms_Nm: 1,
            contactChanges_Hz: m,
            solverFailures: 0,
            fallbacks: 0,
            strained: 0,
            tunnelled: 0,
            step_us: 10 * (m + 1),
            realTimeFactor: (dt * 1e5) / (m + 1),
          },
          controllerMetrics: {},
          error: {
            penetration_m: 4e-4,
            tracking: dt,
            trackingOf: 'base position',
            trackingScale: 1,
            trackingUnit: 'm',
            energy: 0.5 * dt,
            energyScale_J: 1,
            against: 'reference',
            note: '',
          },
          cost: (1e-5 * (m + 1)) / dt,
          missed: [],
          parameters: {
            used: [{ name: 'friction', value: 0.8, unit: '1', meaning: 'Coulomb friction' }],
            derived: [{ name: 'k', value: 1 / dt, unit: 'N/m', meaning: 'spring of one pair' }],
            unused: m === 1 ? ['stiffness', 'damping'] : [],
          },
          physical: { allowedPenetration: 1e-3, friction: 0.8, restitution: 0 },
          solverFailure: null,
          firstStrain: null,
          tunnelling: null,
          solvers: [],
          problems: [],
          variant: null,
          tracking: [],
          touched: true,
          deepestPair: { a: 'cube', b: 'ground' },
          ...changed,
        })
        const t = Array.from({ length: 101 }, (_, i) => (duration * i) / 100)
        plots.push({
          series: {
            t,
            penetration: t.map((x) => 1e-4 * (1 + x)),
            energy: t.map((x) => -x),
            force: t.map(() => 98.1),
            kinetic: t.map((x) => Math.exp(-x)),
          } as ReportPlots['series'],
          tracking: { t, tracking: t.map((x) => dt * x), energy: t.map((x) => 0.5 * dt * x) } as ReportPlots['tracking'],
          snapshots: [snapshot(0.5 * duration, [20, 25, 25, 28.1]), snapshot(duration, [24, 24, 25, 25.1])],
          ...plotsOf(model, dt),
        } as ReportPlots)
      }
    }
  })
  const results: Results = {
    version: 1,
    scenario: { name: robot, duration, limits, seed: 1, defaults: [], physical: { friction: 0.8 } },
    robots: [
      {
        robot,
        source: robot,
        floating: true,
        joints: 2,
        mass: 10,
        size: 0.5,
        groundHeight_m: 0,
        startPenetration_m: 0,
        startOverlaps: [],
        others: [],
        controller: 'hold',
        controllerOptions: {},
        controllerWhy: '',
        warnings: 0,
      },
    ],
    verdicts: [
      { robot, model: verdict?.[0] ?? null, dt: verdict?.[1] ?? null, limits, missed: [], sentence: '' },
    ] as unknown as Results['verdicts'],
    runs,
    machine: { featherbed: '9.8.7', node: 'v20.0.0', platform: 'linux x64', processor: 'Abacus' },
  }
  return { results, plots }
}

/** A cube of 0.2 m on the ground with a contact at each lower corner, each with so many newtons upwards and 3 N of friction. */
export function snapshot(t: number, forces: readonly number[]): Snapshot {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.2 : 0])
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ].map((loop) => Int32Array.from(loop))
  const cube: DrawnShape = {
    name: 'cube',
    link: 'cube',
    owner: 0,
    type: 'box',
    vertices: Float64Array.from(corners),
    faces,
    crease: 0.94,
  }
  const ground: DrawnShape = {
    name: 'ground',
    link: '',
    owner: -1,
    type: 'halfspace',
    vertices: new Float64Array(0),
    faces: [],
    crease: 1,
    plane: { normal: [0, 0, 1], offset: 0 },
  }
  return {
    t,
    q: new Float64Array(7),
    shapes: [cube, ground],
    contacts: forces.map((fz, i) => ({
      a: 'ground',
      b: 'cube',
      point: [corners[3 * i], corners[3 * i + 1], 0],
      normal: [0, 0, 1],
      force: [i % 2 === 0 ? 3 : -3, 0, fz],
      impact: [0, 0, 0],
      gap: -1e-4 * (1 + i) * (t > 1.5 ? 0.5 : 1),
    })),
  }
}
