import type { ContactModelName, ContactModelOptions } from '../../../contact/index.ts'
import { type Claim, judged, type Part } from '../page.ts'
import {
  type Agreement,
  agreementOf,
  balls,
  energyAfter,
  gainsOf,
  hypotheses,
  leastEnergy,
  lossBounds,
  modes,
  randomCubes,
  randomRods,
  rodInTurn,
  rodOnSupports,
} from './impacts.ts'
import { range, short, worst } from './scene.ts'

/** Section 6. */
export function impactClaims(): Part & { impacts: Agreement[] } {
  const rods = randomRods(150)
  const kinds = [
    ...hypotheses.map((impacts) => ['penalty-deepest', 'penalty-deepest', { impacts }] as const),
    ...hypotheses.map((impacts) => ['lcp, one after another', 'lcp', { impulses: 'sequential', impacts }] as const),
    ...(['newton', 'poisson'] as const).map((impacts) => ['lcp, all at once', 'lcp', { impacts }] as const),
  ]
  const impacts = kinds.map(([name, model, options]) => agreementOf(rods, `${name}, ${options.impacts}`, model, options))
  const claims = [...orderClaims(), ...rodClaims(impacts, rods.length), ...lossClaims()]
  return { impacts, claims }
}

/** Of rods that strike with one point. */
function rodClaims(impacts: readonly Agreement[], rods: number): Claim[] {
  const agree = (list: readonly Agreement[], of: readonly (typeof modes)[number][] = modes) =>
    list.every((one) => of.every((mode) => one.modes[mode].agree === one.modes[mode].count && one.modes[mode].count > 0))
  const words = ({ modes: found }: Agreement) =>
    modes.map((mode) => `${mode} ${found[mode].agree} of ${found[mode].count}`).join(', ')
  const most = (one: Agreement, of: readonly (typeof modes)[number][]) => worst(of.map((mode) => one.modes[mode].worst))
  const routhOnes = impacts.filter(({ name, hypothesis }) => hypothesis === 'poisson' && !name.includes('all at once'))
  const together = impacts.filter(({ name, hypothesis }) => name.includes('all at once') && hypothesis === 'poisson')
  const poisson: Claim = {
    where: 'Section 6 (Wang and Mason)',
    claim: 'planar impacts of a rod at one point, Poisson’s hypothesis, in all five modes of contact',
    paper: 'computed for all possible planar collisions',
    found: `${words(routhOnes[0])}; impulses within ${short(worst(routhOnes.map((one) => most(one, modes))))}, impulses one after another`,
    judgement: judged(agree(routhOnes)),
    why: `Routh’s method as straight lines in closed form, in the experiment, beside one step of penalty-deepest and of lcp. With impulses all at once friction is against the slip at the end of the impact, so that slip which turns back is not followed: ${together.map(words).join('')}.`,
  }
  const energetic = impacts.filter(({ hypothesis }) => hypothesis === 'stronge')
  const newtons = impacts.filter(({ name, hypothesis }) => hypothesis === 'newton' && !name.includes('all at once'))
  const newton: Claim = {
    where: 'Section 6 (Wang and Mason)',
    claim: 'the same by Newton’s hypothesis',
    found: words(newtons[0]),
    judgement: judged(agree(newtons)),
    why: `The option newton is one algebraic step, which either sticks or slides against the slip of the start, not Routh’s process: it cannot reverse, and is off by up to ${short(100 * most(newtons[0], modes))} % of the impulse where slip does.`,
  }
  const gains = gainsOf(randomRods(2000, 2))
  const [ofNewton, ...others] = gains
  const energy: Claim = {
    where: 'Section 6 [6, 44]',
    claim: 'with friction Newton’s law does not always conserve energy: it may add some. Stronge’s and Poisson’s do not',
    found: `Routh’s process: newton gains in ${ofNewton.gains} of 2000 rods, ${short(100 * ofNewton.most)} % of the normal energy at most; ${others.map(({ hypothesis, gains: n, most: x }) => `${hypothesis} in ${n} (${short(100 * x)} % at most)`).join(', ')}. Models: ${impacts.reduce((sum, one) => sum + one.gains, 0)} of ${impacts.length * rods}`,
    judgement: judged(ofNewton.gains > 0 && others.every(({ gains: n }) => n === 0) && impacts.every((one) => one.gains === 0)),
    why:
      'The models limit what they gain, and so have none under any hypothesis. Stronge’s restitution agrees with the closed form in every mode: ' +
      words(energetic[0]) +
      '.',
  }
  return [poisson, newton, energy]
}

const far = (list: readonly number[], to: readonly number[]) => worst(list.map((v, k) => Math.abs(v - to[k])))

/** Of several impacts, one after another and all at once. */
function orderClaims(): Claim[] {
  /** Largest distance of velocities from those expected one after another, and all at once. */
  const offOf = (
    run: (...of: [ContactModelName, ContactModelOptions]) => number[],
    ...expected: readonly (readonly number[])[]
  ) =>
    worst(
      (['sequential', 'simultaneous'] as const).flatMap((impulses, k) =>
        (['lcp', 'stewart-trinkle'] as const).map((model) => far(run(model, { impulses, impacts: 'newton' }), expected[k])),
      ),
    )
  const row = [0, 1, 2].map((x) => [x, 0] as const)
  const off = offOf((...of) => balls(row, ...of), [0, 0, 0, 0, 1, 0], [-1 / 3, 0, 2 / 3, 0, 2 / 3, 0])
  const several: Claim = {
    where: 'Sections 4.1.1 and 6 (Cremer)',
    claim:
      'impacts at several points may be met one after another or all at once, with different outcomes: three balls in a row, e = 1',
    paper: 'advantages and disadvantages of both; how to do it correctly is open',
    found: `one after another the last ball leaves alone, all at once the first comes back with a third and the others share the rest: speeds within ${short(off)} m/s of (0, 0, 1) and (−1/3, 2/3, 2/3), lcp and stewart-trinkle`,
    judgement: judged(off < 1e-4),
    why: 'Both conserve momentum and energy. Closed forms; judged by 1e-4, softness and three steps of 0.1 ms.',
  }
  const half = Math.sqrt(0.75)
  const triangle = [
    [0, 0],
    [half, 0.5],
    [half, -0.5],
  ] as const
  // the first ball's place is between the others': impacts one by one hit them in turn, and the outcome depends on the order
  const inTurn = [-1 / 8, -half / 4, 3 / 4, half / 2, 3 / 8, -half / 4]
  const atOnce = [-1 / 5, 0, 3 / 5, (2 / 5) * half, 3 / 5, (-2 / 5) * half]
  const offTriangle = offOf((...of) => balls(triangle, ...of), inTurn, atOnce)
  const symmetry: Claim = {
    where: 'Sections 4.1.1 and 6 (Cremer)',
    claim:
      'a ball strikes two in touch with each other, e = 1: all at once the outcome is as symmetric as the start, one after another not',
    paper: 'advantages and disadvantages of both',
    found: `velocities within ${short(offTriangle)} m/s of (−1/5, 0), (3/5, ± √3/5), and of (−1/8, −√3/8), (3/4, √3/4), (3/8, −√3/8)`,
    judgement: judged(offTriangle < 1e-4),
    why: 'Closed forms; energy and momentum are conserved by both. Which of the two balls is met first is a matter of numbering. Judged by 1e-4.',
  }
  const rod = [0, 0.5, 1].map((e) => offOf((...of) => rodOnSupports(...of, e), rodInTurn(e), [e, e]))
  const supports: Claim = {
    where: 'Sections 4.1.1 and 6 (Cremer)',
    claim: 'a rod comes down flat on a support under each end: in turn its ends are met again and again',
    found: `e = 1/2: ends rise with 13/32 and 17/64 m/s after four impulses in turn, with 1/2 both all at once; e = 0 and e = 1: the same by both, after countless impulses and after three. Within ${short(worst(rod))} m/s`,
    judgement: judged(worst(rod) < 1e-4),
    why: 'In turn an impulse at one end takes −e times its velocity and drives the other down by (1 + e) / 2 of it. Judged by 1e-4.',
  }
  return [several, symmetry, supports]
}

/** Of cubes that strike with four corners. */
function lossClaims(): Claim[] {
  const cubes = randomCubes(20)
  const least = cubes.map(leastEnergy)
  const before = cubes.map(({ v }) => 0.5 * v.reduce((sum, x, i) => sum + (i < 3 ? 0.04 / 6 : 1) * x * x, 0))
  const excess = (model: string) => worst(cubes.map((cube, i) => (energyAfter(cube, model) - least[i]) / before[i]))
  const [convex, ncp] = [excess('convex'), excess('ncp')]
  const dissipation: Claim = {
    where: 'Section 6 (Lötstedt)',
    claim: 'simultaneous frictional impulses that dissipate as much energy as possible: a cube that strikes with four corners',
    found: `convex leaves ${short(convex)} of the energy more than the least that impulses within friction can, over ${cubes.length} cubes; ncp, which is Coulomb’s law, up to ${short(ncp)}, lotstedt ${short(excess('lotstedt'))}`,
    judgement: convex < 1e-5 && ncp > 0.01 ? 'order reproduced' : 'not reproduced',
    why: 'The least is found in the experiment by accelerated projected gradients. What dissipates most is the associated law of convex, in the cone, which is not Lötstedt’s: his bounds on friction in an impact are not printed, and the model lotstedt has Coulomb’s law at a first touch.',
  }
  const bounds = cubes.map(lossBounds)
  const losses = (model: string) => cubes.map((cube, i) => before[i] - energyAfter(cube, model))
  const inside = (list: readonly number[], low: readonly number[]) =>
    list.filter((loss, i) => loss > low[i] - 1e-5 * before[i] && loss < bounds[i].stopped + 1e-5 * before[i]).length
  const [associated, coulomb, bare] = [losses('convex'), losses('ncp'), bounds.map(({ frictionless }) => frictionless)]
  const within = inside(associated, bare)
  const share = (list: readonly number[]) => range(list.map((loss, i) => loss / before[i]))
  const loss: Claim = {
    where: 'Section 6 (Lötstedt)',
    claim:
      'how much such an impact loses is bounded: by what is lost without friction, and by what stopping all contact points takes',
    found: `${within} of ${cubes.length} cubes within the bounds under convex, which loses ${share(associated)} of the energy, without friction ${share(bare)}; u_n² / (2 W_nn) of any corner is never more than that. ncp, Coulomb’s law: ${inside(coulomb, bare)} of ${cubes.length}, ${share(coulomb)}`,
    judgement: judged(within === cubes.length && bounds.every(({ corner, frictionless }) => corner <= frictionless * (1 + 1e-9))),
    why: 'Derived: the least of pᵀ W p / 2 + uᵀ p over a cone has pᵀ (W p + u) = 0, so that the loss is pᵀ W p / 2 ≥ 0; it grows with the cone, between normal impulses alone and all impulses. Lötstedt’s own statement of bounds is not in the survey.',
  }
  return [dissipation, loss]
}
