/**
 * Table of the options of contact models: default, valid values, unit, meaning. The single source of what models read (`OptionReader`) and
 * report, of the types of their options, and of the table of docs/scenario.md (`optionTable`).
 */

/** One option. */
export interface Option<Value extends number | string | boolean = number | string | boolean> {
  readonly name: string
  /** NaN: derived by the model. */
  readonly default: Value
  /** Defaults in models that have another one. */
  readonly defaultOf?: Readonly<Record<string, Value>>
  /** Least and greatest value, both allowed. */
  readonly range?: readonly [number, number]
  readonly isWhole?: boolean
  readonly choices?: readonly Value[]
  /** SI unit; '1' for a ratio or a count, '' for a word. */
  readonly unit: string
  /** Wording of reports. */
  readonly meaning: string
  /** Longer wording for the documentation, and the default if it is not a number. */
  readonly docs?: string
  readonly defaultDocs?: string
  /** Of an option whose limit is rigid contact with Coulomb's cone: the power of the step that it follows there; see `refinedOptions`. */
  readonly limit?: number
}

type Row<Value extends number | string | boolean> = Omit<Option<Value>, 'name'>
type Rows = Readonly<Record<string, Row<number> | Row<string> | Row<boolean>>>
type Given = Partial<Pick<Option, 'docs' | 'defaultDocs' | 'limit'>>

const named = <T extends Rows>(rows: T): { readonly [Name in keyof T]: T[Name] & { readonly name: string } } =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, name }])) as never

const number = (
  byDefault: number,
  range: readonly [number, number],
  unit: string,
  meaning: string,
  more: Given & Pick<Row<number>, 'defaultOf'> = {},
): Row<number> => ({ default: byDefault, range, unit, meaning, ...more })

const whole = (byDefault: number, range: readonly [number, number], meaning: string, more: Given = {}): Row<number> => ({
  ...number(byDefault, range, '1', meaning, more),
  isWhole: true,
})

const choice = <const Choices extends readonly (number | string | boolean)[]>(
  choices: Choices,
  meaning: string,
  { unit = '', ...more }: Given & { readonly unit?: string; readonly defaultOf?: Readonly<Record<string, Choices[number]>> } = {},
): Row<Choices[number]> => ({ default: choices[0] as Choices[number], choices, unit, meaning, ...more })

/** Type of the options in a table. */
type Values<Of extends Rows> = { readonly [Name in keyof Of]?: Of[Name]['default'] }

const patch = named({
  patch: choice(
    ['corners', 'uniform'],
    'where friction acts on lines and faces: at their ends and corners, or drawn in to the moment of uniform pressure',
    {
      docs: 'where friction acts on lines and faces ([contact-models.md](contact-models.md#lines-and-faces-the-option-patch))',
    },
  ),
})

const springs = named({
  friction: choice(['regularised', 'springs', 'solved'], 'how friction holds what does not slide (option friction)', {
    docs: 'what holds a contact that does not slide ([contact-models.md](contact-models.md#friction))',
  }),
  stickSpeed: number(
    1e-4,
    [1e-9, 1],
    'm/s',
    'slip speed up to which friction is viscous; a body held on a slope alpha creeps at stickSpeed tan(alpha) / mu',
    { limit: 1, docs: 'slip at which regularised friction is whole' },
  ),
  tangentialStiffness: number(0.8, [1e-3, 10], '1', 'stiffness of a contact point across the normal over that along it', {
    docs: 'with `friction: springs`: their stiffness over that along the normal',
  }),
  impacts: choice(
    ['stronge', 'newton', 'poisson', 'none'],
    'hypothesis of restitution of impulses at the centroid of what begins to touch',
    {
      defaultOf: { 'hunt-crossley': 'none' },
      docs: 'hypothesis of restitution, or `none`: springs and dampers meet impacts ([contact-models.md](contact-models.md#impacts))',
    },
  ),
  restitutionThreshold: number(
    0.01,
    [0, Number.POSITIVE_INFINITY],
    'm/s',
    'approach speed below which an impact has no restitution',
    { docs: 'unless `impacts` is `none`: approach speed below which nothing rebounds' },
  ),
})

const gains = named({
  integral: choice([true, false], 'whether there is an integral term', {
    defaultOf: { 'penalty-deepest': false },
    defaultDocs:
      '`penalty`: `true`, with `points: volume` `false`; `penalty-deepest`: `false`; `true` in each where `ki` is given',
  }),
  lambda: number(0.85, [0, 0.999], '1', 'what the integral term keeps of itself from step to step'),
  kiRatio: number(0.02, [0, 1], '1', 'integral gain over proportional gain'),
  gains: choice(['physical', 'paper'], 'physical: from the physical inputs; paper: 100, 50 and 2 times the mass', {
    docs: '`physical`: from the physical inputs; `paper`: 100, 50 and 2 times the mass',
  }),
  kp: number(Number.NaN, [0, 1e12], 'N/m', 'spring', { docs: 'spring of all pairs', defaultDocs: 'by the rule' }),
  kv: number(Number.NaN, [0, 1e12], 'N s/m', 'damper', { docs: 'damper of all pairs', defaultDocs: 'by the rule' }),
  ki: number(Number.NaN, [0, 1e12], 'N/m', 'integral gain, on depth summed over steps,', {
    docs: 'integral gain of all pairs, on depth summed over steps',
    defaultDocs: 'by the rule',
  }),
})

const deepest = named({
  separation: choice(
    ['damped', 'discontinuous'],
    'discontinuous: while bodies part the spring has restitution² of its force, and none where impulses see to restitution',
    {
      docs: '`damped`: the damper lowers the force while bodies part; `discontinuous`: no damper, and the spring keeps restitution² of its force (Moore and Wilhelms, 1988), nothing where impulses see to restitution',
    },
  ),
})

const shares = named({
  fullShare: number(0, [0, 1], '1', "part of its pair's greatest depth from which on a point has a full share of the force", {
    docs: "part of the pair's greatest depth from which on a point has a full share of the force; a shallower one has less, in proportion. 0: all alike, as in the paper",
  }),
  points: choice(
    ['bottom', 'steiner', 'volume'],
    "points that bear: of the bottom, with Steiner points of its faces, or of a patch with a pair's whole gains on a quarter of the smaller shape's surface",
    {
      docs: '`bottom`: corners, and where edges cross; `steiner`: vertices of the divided faces instead, as in the paper; `volume`: springs and dampers spread over the patch of the volume in which polyhedra overlap, without the integral unless it is asked for ([law](contact-models.md#penalty))',
    },
  ),
})

const huntCrossley = named({
  exponent: number(1.5, [1, 4], '1', 'n in f = k dⁿ (1 + 3/2 alpha d.)'),
  referenceSpeed: number(1, [1e-6, 1e6], 'm/s', 'approach speed that restitution is meant at'),
})

const pyramid = named({
  sides: choice([4, 6, 8, 12, 16], 'sides of the friction pyramid', { unit: '1', limit: -1 }),
})

const passes = named({
  constraints: choice(['exact', 'literal', 'literal-planar'], 'over pairs of features: exact, or those of the paper', {
    docs: '`exact`: ours; `literal`: those of the paper, to first order, rigid and without passes unless these are stated; `literal-planar`: likewise, those of polygons in the x-y plane, represented by upright prisms between the same heights ([differences](contact-models.md#polygonally-exact-contact-peg-and-lnc))',
  }),
  passes: whole(200, [0, 10_000], 'evaluations of the end of a step for overlap', {
    docs: "how often a step may be solved again from where it would end; 0: the paper's first order",
    defaultDocs: '200; `constraints: literal`: 0',
  }),
  gapTolerance: number(1e-5, [1e-12, 1], 'm', 'overlap that a step may end with', { limit: 2 }),
})

const search = named({
  nodes: whole(200, [1, 1e6], 'subproblems that one search may solve; a twentieth among more than 100 contacts'),
  epsilon: number(0.01, [0, 1], '1', 'sine of the angle by which features may miss applicability', {
    docs: 'sine of the angle by which features may miss each other and still count',
  }),
})

const anitescuPotra = named({
  activeDistance: number(1e-5, [0, Number.POSITIVE_INFINITY], 'm', 'gap up to which a contact is held where it is', {
    limit: 1,
  }),
})

/** MuJoCo clamps impedances and the midpoint to between this and 1 minus this. */
const LEAST_IMPEDANCE = 1e-4
const impedances = [LEAST_IMPEDANCE, 1 - LEAST_IMPEDANCE] as const

const mujoco = named({
  cone: choice(['elliptic', 'pyramidal'], 'of friction'),
  timeConstant: number(0.02, [-1e12, 100], 's', 'of the return to the surface; at least two steps count', {
    limit: 1,
    docs: 'first of solref: of the return to the surface; with `dampingRatio` below 0 too, -stiffness [1/s²]',
  }),
  dampingRatio: number(1, [-1e12, 1e6], '1', 'of the return to the surface; 1 is critical', {
    docs: 'second of solref: of the return to the surface; with `timeConstant` below 0 too, -damping [1/s]',
  }),
  dmin: number(0.9, impedances, '1', 'impedance at the surface: share of the force that a rigid contact has', {
    docs: 'solimp: impedance at the surface',
  }),
  dmax: number(0.95, impedances, '1', 'impedance at the depth width and below', {
    docs: 'solimp: impedance from the depth `width` on',
  }),
  width: number(1e-3, [0, 100], 'm', 'depth over which the impedance goes from dmin to dmax', {
    docs: 'solimp: depth over which the impedance goes from `dmin` to `dmax`',
  }),
  midpoint: number(0.5, impedances, '1', 'of that depth: where its curve turns', {
    docs: 'solimp: part of that depth where its curve turns',
  }),
  // an integer, so that no power function is needed, whose last bit differs between engines
  power: whole(2, [1, 100], 'of that curve', { docs: 'solimp: power of that curve' }),
  impratio: number(1, [1e-6, 1e9], '1', 'softness along the normal over softness of friction'),
  integrator: choice(['euler', 'implicitfast', 'rk4'], "MuJoCo's integrator of the step", {
    docs: "MuJoCo's integrators: `euler`; `implicitfast`, with the damping of actuators at the end of the step too; `rk4`, which solves for contacts in each of four stages",
  }),
  flight: choice(['exact', 'euler'], "of bodies in flight: as under all models, or by MuJoCo's Euler", {
    docs: "motion of bodies in flight: `exact`, as under all models; `euler`, MuJoCo's integrator",
    defaultDocs: '`exact`; worlds with a robot of MJCF: `euler`',
  }),
})

const drake = named({
  approximation: choice(['lagged', 'similar', 'sap', 'tamsi'], 'the law', { docs: "Drake's law of contact" }),
  points: choice(['manifold', 'one'], 'contact points of a pair of shapes', {
    docs: "contact points of a pair of shapes: `manifold`, all of a face or line; `one`, the deepest, as Drake's point contact",
  }),
  dissipation: number(Number.NaN, [0, 1e9], 's/m', 'd in n = k x (1 + d x.), of the heaviest on something fixed unless stated', {
    docs: 'd of n = k x (1 + d ẋ); all but `sap`',
    defaultDocs: 'from damping or restitution, else critical at rest',
  }),
  referenceSpeed: number(1, [1e-6, 1e6], 'm/s', 'approach speed that restitution is meant at', {
    docs: "of the impact that has the pair's restitution; the same",
  }),
  stictionTolerance: number(1e-4, [1e-9, 10], 'm/s', 'slip at which friction is 0.7 of its bound, or whole under tamsi', {
    limit: 1,
    docs: 'slip at which friction is 0.7 of its bound, under `tamsi` all of it; the same',
  }),
  relaxationTime: number(Number.NaN, [0, 1e6], 's', 'damping over stiffness', {
    docs: 'damping over stiffness; `sap`',
    defaultDocs: "the pair's",
  }),
  beta: number(1, [0, 100], '1', 'shortest period of a contact in time steps: stiffer ones are softened to it', {
    docs: 'shortest period of a contact in steps; `sap`',
  }),
  sigma: number(1e-3, [1e-12, 1], '1', 'regularisation of friction over the W of its contact', {
    docs: "regularisation of friction as a share of the contact's W; all but `tamsi`",
  }),
})

const velocityLevel = named({
  drift: choice(['baumgarte', 'projection', 'none'], 'correction of penetrations and opened loops', {
    defaultOf: { 'anitescu-potra': 'projection' },
    docs: 'correction of penetrations (no `projection` in `lnc`, `peg`, `mujoco`, `drake`)',
  }),
  stabilization: number(0.2, [0, 1], '1', 'part of a penetration that one step removes'),
  correctionSpeed: number(0.1, [0, 100], 'm/s', 'fastest speed at which a penetration is removed'),
  compliance: number(
    5e-6,
    [1e-12, 1e-2],
    '1',
    'softness of a contact times the mass it holds, which settles indeterminate loads',
    {
      // anitescu-potra: without a gap condition a compliant contact at rest sinks by compliance g h a second, until projection
      defaultOf: { 'anitescu-potra': 5e-8, drake: 5e-8 },
      limit: 2,
      docs: 'softness of a pair of shapes times the mass that it holds up, shared among its points, which settles how a load is shared where that is open',
    },
  ),
  jointFriction: choice(['exact', 'regularised'], 'dry friction of joints: rows of the problem, or viscous near rest', {
    docs: 'dry friction of joints: `exact`, as rows of the problem; `regularised`, viscous near rest',
  }),
})

const rigidImpacts = named({
  impulses: choice(['simultaneous', 'sequential'], 'all impacts at once, one problem', {
    docs: 'how impacts with restitution are resolved: all at once, or one after another ([contact-models.md](contact-models.md#impacts))',
  }),
  impacts: choice(['poisson', 'newton', 'stronge'], 'hypothesis of restitution', {
    docs: 'hypothesis of restitution; `stronge` with `impulses: sequential`',
    defaultDocs: '`poisson`; `sequential`: `stronge`',
  }),
  restitutionThreshold: number(0.01, [0, 10], 'm/s', 'approach speed up to which nothing bounces'),
})

const loops = named({
  loops: choice(['tangent', 'end-of-step'], 'where loops are closed: along their tangent at the start, or at the end', {
    docs: 'where loops are closed: `tangent`, along their tangent at the start of the step; `end-of-step`, so that they are closed at its end, to 1e-10 m',
  }),
})

const step = named({
  step: choice(['euler', 'trapezoidal'], 'of second order in smooth motion, or of first', {
    docs: '`euler`: forces of joints at the end of the step, q by its velocity; `trapezoidal`: the mean of start and end, of second order. Not with `loops: end-of-step`',
  }),
})

const askedFirst = 'the first solver of the chain'
const pyramidSolver = named({ solver: choice(['newton', 'lemke', 'lmmcp', 'path-following'], askedFirst) })
const coneSolver = named({ solver: choice(['newton', 'contact-pgs-anderson'], askedFirst) })
const ncpSolver = named({
  solver: choice(['newton', 'contact-pgs-anderson', 'contact-pgs', 'micro-impulses'], askedFirst, {
    docs: `${askedFirst} (\`contact-pgs\` takes what its sweeps leave)`,
  }),
})
const sweeps = named({
  sweeps: whole(10, [1, 100_000], 'sweeps over all rows, and over those of each level after them'),
  shockPropagation: choice(
    [true, false],
    'whether levels of the contact graph follow from the ground up, with infinite mass below them',
  ),
})

const micro = named({
  microRestitution: number(0.2, [0, 1], '1', 'of the collisions that hold what rests'),
})

const acceleration = named({
  compliance: number(5e-6, [1e-9, 1e-2], '1', 'softness relative to the inverse mass, which settles indeterminate loads', {
    limit: 2,
    docs: 'softness of a pair of shapes times the mass of the heaviest tree that it acts on, shared among its points',
  }),
  drift: choice(['pairs', 'deepest-point', 'none'], 'correction of penetrations', {
    docs: "correction of penetrations: `pairs`, each contact's spring and damper; `deepest-point`, those of a pair's deepest point alone; `none`",
  }),
  matrix: choice(['auto', 'test-forces'], 'whether W = J M⁻¹ Jᵀ is written out by test forces; results differ by rounding', {
    docs: '`auto`: W = J M⁻¹ Jᵀ is written out by the factor of M where a solver needs it; `test-forces`: always, by [test forces](solvers.md#the-delassus-matrix); they differ by rounding',
  }),
  solver: choice(['newton', 'baraff', 'murty'], askedFirst, { docs: `${askedFirst} (of \`lotstedt\` always \`newton\`)` }),
})

/** Tables by group; options of one name may differ between groups. */
export const options = {
  ...{ patch, springs, gains, deepest, shares, huntCrossley, pyramid, passes, search, anitescuPotra, mujoco, drake },
  ...{ velocityLevel, rigidImpacts, loops, step, pyramidSolver, coneSolver, ncpSolver, sweeps, micro, acceleration },
}

type Springs = Values<typeof springs & typeof patch>
export type PenaltyDeepestOptions = Springs & Values<typeof gains & typeof deepest>
export type PenaltyOptions = Springs & Values<typeof gains & typeof shares>
export type HuntCrossleyOptions = Springs & Values<typeof huntCrossley>
export type LcpOptions = Values<typeof rigidImpacts & typeof patch & typeof acceleration>
type VelocityLevel = Values<typeof velocityLevel & typeof patch>
type Rigid = VelocityLevel & Values<typeof rigidImpacts>
export type StewartTrinkleOptions = Rigid & Values<typeof pyramid & typeof pyramidSolver & typeof loops & typeof step>
export type AnitescuPotraOptions = StewartTrinkleOptions & Values<typeof anitescuPotra>
export type ConeOptions = Rigid & Values<typeof coneSolver & typeof loops & typeof step>
export type NcpOptions = Rigid & Values<typeof ncpSolver & typeof sweeps & typeof micro & typeof loops & typeof step>
export type MujocoOptions = VelocityLevel & Values<typeof mujoco & typeof coneSolver & typeof loops>
export type DrakeOptions = VelocityLevel & Values<typeof drake & typeof coneSolver & typeof loops>
export type LncOptions = Rigid & Values<typeof pyramid & typeof pyramidSolver & typeof search>
export type PegOptions = LncOptions & Values<typeof passes>

/** Models of an option group, their page, and the condition under which the options apply; for the documentation. */
export interface OptionGroup {
  readonly models: readonly string[]
  readonly page?: string
  readonly when?: string
  readonly options: Readonly<Record<string, Option>>
}

const ofSprings = ['penalty', 'penalty-deepest', 'hunt-crossley']
const ofPyramids = ['stewart-trinkle', 'anitescu-potra', 'lnc', 'peg']
const ofCones = ['convex', 'ncp', 'mujoco', 'drake']
const withEnds = ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp']
const group = (models: readonly string[], rows: object, more: Omit<OptionGroup, 'models' | 'options'> = {}): OptionGroup => ({
  models,
  options: rows as OptionGroup['options'],
  ...more,
})

export const optionTable: readonly OptionGroup[] = [
  group(['every model'], patch),
  group(ofSprings, springs),
  group(['penalty', 'penalty-deepest'], gains),
  group(['penalty-deepest'], deepest),
  group(['penalty'], shares),
  group(['hunt-crossley'], huntCrossley),
  group(ofPyramids, pyramid),
  group(['peg'], passes, { page: 'contact-models.md#polygonally-exact-contact-peg-and-lnc' }),
  group(['peg', 'lnc'], search),
  group(['anitescu-potra'], anitescuPotra),
  group(['mujoco'], mujoco, { page: 'contact-models.md#mujocos-law-mujoco' }),
  group(['drake'], drake, { page: 'contact-models.md#drakes-laws-drake' }),
  group([...ofPyramids, ...ofCones], velocityLevel, { page: 'contact-models.md#common-to-the-models-that-solve' }),
  group([...ofPyramids, 'convex', 'ncp', 'lcp', 'lotstedt'], rigidImpacts),
  group([...withEnds, 'mujoco', 'drake'], loops, { page: 'contact-models.md#loops-the-option-loops' }),
  group(withEnds, step, { page: 'contact-models.md#the-trapezoidal-step-the-option-step' }),
  group(ofPyramids, pyramidSolver),
  group(['convex', 'mujoco', 'drake'], coneSolver),
  group(['ncp'], ncpSolver),
  group(['ncp'], sweeps, { when: 'solver: contact-pgs', page: 'contact-models.md#sweeps-and-shock-propagation' }),
  group(['ncp'], micro, { when: 'solver: micro-impulses', page: 'contact-models.md#micro-impulses' }),
  group(['lcp', 'lotstedt'], acceleration, { page: 'contact-models.md#forces-and-accelerations-lcp-and-lotstedt' }),
]

/**
 * The stated options, with those that have a limit nearer to it by so many halvings of the step. What is stated as 0 or by another
 * formula (below 0) stays; SAP has no stiction tolerance, and a literal peg is rigid. @unchecked
 */
export function refinedOptions(
  model: string,
  stated: Readonly<Record<string, unknown>>,
  halvings: number,
): Record<string, unknown> {
  const own = optionTable.filter(({ models }) => models.includes(model)).flatMap(({ options }) => Object.values(options))
  const refined = own.flatMap(({ name, limit, range, choices, defaultOf, default: usual }) => {
    const value = stated[name] ?? defaultOf?.[model] ?? usual
    if (limit === undefined || typeof value !== 'number' || value <= 0) return []
    if (name === 'stictionTolerance' && stated.approximation === 'sap') return []
    if (name === 'compliance' && String(stated.constraints).startsWith('literal')) return []
    const [least, most] = range ?? [0, choices?.at(-1) as number]
    return [[name, Math.min(most, Math.max(least, value * 2 ** (-limit * halvings)))]]
  })
  return { ...stated, ...Object.fromEntries(refined) }
}
