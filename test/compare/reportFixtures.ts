/** Results made by hand, so that what a report shows can be told from what was put in. */
import { RESULTS_VERSION, type Results, type RunResult } from '../../compare/judge/compare.ts'
import type { MissedLimit } from '../../compare/judge/verdict.ts'
import { metricDefinitions } from '../../compare/measure/metricDefinitions.ts'
import type { Metrics } from '../../compare/measure/metrics.ts'
import { reportOf } from '../../compare/report/report.ts'
import type { ReportPlots } from '../../compare/report/subject.ts'

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
  readonly state?: Results['verdicts'][0]['state']
  readonly sentence?: string
  readonly truths?: readonly Omit<Results['truths'][0], 'robot' | 'seed' | 'variant' | 'divergence'>[]
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
  state = verdict ? 'take' : 'none',
  sentence = '',
  truths = [],
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
          outcome: null,
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
            energyGains: 0,
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
            parts: { integrator: null, controllerRate: null, contact: null },
            source: null,
            until_s: duration,
            note: '',
          },
          cost: { perSecond: (1e-5 * (m + 1)) / dt, spread: 0.03 },
          work: { iterations: m, contacts: 4 },
          health: null,
          laws: [],
          loads: [],
          missed: [],
          parameters: {
            used: [{ name: 'friction', value: 0.8, unit: '1', meaning: 'Coulomb friction' }],
            derived: [{ name: 'k', value: 1 / dt, unit: 'N/m', meaning: 'spring of one pair' }],
            unused: m === 1 ? ['stiffness', 'damping'] : [],
          },
          physical: { allowedPenetration: 1e-3, friction: 0.8, restitution: 0 },
          solverFailure: null,
          firstEnergyGain: null,
          firstStrain: null,
          firstLetGo: null,
          firstShaking: null,
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
          replay: null,
          ...plotsOf(model, dt),
        } as ReportPlots)
      }
    }
  })
  const results: Results = {
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
        floatingNotice: null,
        limitsNotes: [],
        startOverlaps: [],
        others: [],
        controller: 'hold',
        controllerWhy: '',
        environment: [],
        warnings: 0,
      },
    ],
    verdicts: [
      {
        robot,
        model: verdict?.[0] ?? null,
        dt: verdict?.[1] ?? null,
        state,
        set: verdict ? [{ model: verdict[0], dt: verdict[1] }] : [],
        health: [],
        limits,
        missed: [],
        sentence,
        reasons: [],
      },
    ] as unknown as Results['verdicts'],
    truths: truths.map((truth) => ({ ...truth, robot, seed: 1, variant: null, divergence: null })),
    runs,
  }
  return { results, plots }
}

/** A limit that a run missed. */
export const missing = (limit: MissedLimit['limit'], value: number | null, words = ''): MissedLimit => ({ limit, value, words })

/** The report of one comparison. */
export function pageOf({ results, plots }: Pick<Made, 'results' | 'plots'>, command: string): string {
  const machine = { featherbed: '9.8.7', node: 'v20.0.0', platform: 'linux x64', processor: 'Abacus', processors: 2, load: 0 }
  return reportOf({ version: RESULTS_VERSION, comparisons: [results], machine, command }, [plots])
}
