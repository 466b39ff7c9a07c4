import { lengthOf, minus, type Vector } from '../../../compare/inspect/picture/vector.ts'
import { significant } from '../../../compare/measure/numbers.ts'
import { type Claim, judged } from '../page.ts'
import {
  depthOf,
  farthestOff,
  impulsesPerManifold,
  kinetic,
  momentum,
  placesOf,
  planarMotions,
  poseDifference,
  pushing,
  turnOf,
} from './measures.ts'
import { type ModelId, models, printed } from './models.ts'
import { placed } from './place.ts'
import { blocksOfFigure12, figure1, figure11, figure12, type Scene } from './scenes.ts'
import { type Outcome, run, type StepContact } from './step.ts'

/** A claim about one panel. */
export interface PanelClaim extends Claim {
  readonly scene: string
  readonly model: ModelId
  /** Compared figures; a key ends in its unit. */
  readonly figures: Readonly<Record<string, number>>
}

/** Each scene under each model. */
export interface SceneResult {
  readonly scene: Scene
  readonly outcomes: Readonly<Record<ModelId, Outcome>>
}

/** Exact but for rounding and for the softness of contacts, 1e-9 of the rest [m, m/s, rad]. */
const exact = 1e-7
/** Allowed final overlap of re-linearised steps [m]. */
const overlapTolerance = 1e-8
/** A turn or a speed that is to be there is at least this much [rad, m/s]. */
const clear = 1e-2

export const millimetre = (x: number) => {
  if (x === 0) return '0 mm'
  const shown = Math.abs(x) < 1e-5 ? `${x.toExponential(1)} m` : `${significant(1e3 * x, 4)} mm`
  return shown.replaceAll('-', '\u2212')
}
export const degrees = (x: number) => `${significant((180 / Math.PI) * x, 3)}°`.replaceAll('-', '\u2212')

interface Check {
  readonly claim: string
  readonly holds: boolean
  readonly found: string
  readonly figures: PanelClaim['figures']
  readonly why: string
}

type Results = (scene: string) => SceneResult

/** Every claim of the captions of figures 1, 11 and 12, and closed forms of the scenes. */
export const claimsOf = (results: Results): PanelClaim[] => [
  ...figure1Claims(results),
  ...figure11Claims(results),
  ...congruentClaims(results),
  ...figure12Claims(results),
]

const panel = (scene: string, model: ModelId, { holds, why, ...check }: Check): PanelClaim => ({
  where: whereOf(scene, model),
  scene,
  model,
  ...check,
  judgement: judged(holds),
  why: model === 'peg' ? `${why} Ours, not the paper’s.` : why,
})

const changeOf = ({ before, after }: Readonly<Record<'before' | 'after', Vector>>) => lengthOf(minus(after, before))

/** Panels of figures 11 and 12, where (e) is the paper's PEG. */
const letters: Readonly<Record<ModelId, string>> = { pm: ' (a)', st: ' (b)', ap: ' (c)', lnc: ' (d)', literal: ' (e)', peg: '' }
function whereOf(scene: string, id: ModelId): string {
  const [figure] = scene.split('-')
  const words = scene === '11-congruent' ? 'Two of one size' : `Figure ${figure}${figure === '1' ? '' : letters[id]}`
  return `${words}, ${models[id].short}`
}

function figure1Claims(results: Results): PanelClaim[] {
  const { scene, outcomes } = results('1')
  const landing = results('1-landing')
  const { aside, above, speed, dt } = figure1
  const trapped = (id: 'st' | 'ap', least: number): PanelClaim => {
    const x = contactOf(outcomes[id], 'tip of blue, side of red')[0]?.gapLinear ?? Number.NaN
    const change = changeOf(planarMotions(scene, outcomes[id])[1])
    return panel('1', id, {
      claim: 'a tip that is held by both sides of the corner is trapped: it cannot pass over the top',
      holds: Math.abs(x - least) < exact && change > clear,
      found: `the tip, which starts ${millimetre(above)} above the top, ends at x = ${millimetre(x)}; free it would end at ${millimetre(aside - speed * dt)}`,
      figures: { tip_m: x, free_m: aside - speed * dt, velocityChange_m_s: change },
      why:
        id === 'st'
          ? 'Judged by the tip ending on the line of the side, x = 0, where there is no side: to first order, as the model has it.'
          : `Judged by the tip ending at the distance from that line at which it starts, ${millimetre(aside)}: to first order, as the model has it.`,
    })
  }
  const free = (id: 'lnc' | 'literal' | 'peg'): PanelClaim => {
    const change = changeOf(planarMotions(scene, outcomes[id])[1])
    return panel('1', id, {
      claim: 'one side of the corner is enough: the tip passes over the top',
      holds: change < 1e-12 && outcomes[id].separation > 0,
      found: `its velocity changes by ${change === 0 ? 'nothing' : change.toExponential(1)}; it ends ${millimetre(outcomes[id].separation)} above the top`,
      figures: { velocityChange_m_s: change, separation_m: outcomes[id].separation },
      why: 'Judged by 1e-12 m/s: the motion is legal, so nothing may be pushed.',
    })
  }
  const lands = (id: 'lnc' | 'literal' | 'peg'): PanelClaim => {
    const outcome = landing.outcomes[id]
    const off = farthestOff(outcome)
    const { distinct } = impulsesPerManifold(landing.scene, outcome)
    return panel('1-landing', id, {
      claim: 'coming down beyond the corner it is held by the top, and there alone',
      holds: depthOf(outcome) < exact && off < exact && distinct === 1,
      found: `${distinct} impulse, ${millimetre(off)} from the surface; overlap ${millimetre(depthOf(outcome))}`,
      figures: { impulses: distinct, offSurface_m: off, depth_m: depthOf(outcome) },
      why: 'Judged by one impulse within 0.1 µm of the surface, and as little overlap.',
    })
  }
  return [
    ...(['st', 'ap'] as const).map((id) => trapped(id, id === 'st' ? 0 : aside)),
    ...(['lnc', 'literal', 'peg'] as const).flatMap((id) => [free(id), lands(id)]),
  ]
}

/** The contacts of a corner with an edge, by name. */
const contactOf = ({ contacts }: Outcome, what: string) => contacts.filter((contact) => contact.what === what)
const flanks = ['corner of blue, flank of red', 'corner of red, flank of blue']
const bases = ['corner of blue, base of red', 'corner of red, base of blue']

function cornerDistance({ a, b }: Scene, { end }: Outcome): number {
  const [red, blue] = [a, b].map(({ polygon, corners, name }, k) => {
    const [x, y] = polygon[corners.indexOf(`corner of ${name}`)]
    return placed(end[k], [x, y, 0])
  })
  return lengthOf(minus(red, blue))
}

const turnsOf = ({ start, end }: Outcome) => [turnOf(start[0], end[0]), turnOf(start[1], end[1])] as const

function figure11Claims(results: Results): PanelClaim[] {
  const { scene, outcomes } = results('11')
  const { pm, st, ap, lnc } = outcomes
  const path = figure11.speed * figure11.dt
  const held = (outcome: Outcome, names: readonly string[], ends: (contact: StepContact) => number) =>
    Math.max(
      ...names.map((name) =>
        Math.max(
          ...contactOf(outcome, name).map((contact) => Math.abs((contact.gapLinear ?? Number.NaN) - ends(contact))),
          contactOf(outcome, name).length === 0 ? Number.NaN : 0,
        ),
      ),
    )
  const turning = (id: 'st' | 'ap'): PanelClaim => {
    const [red, blue] = turnsOf(outcomes[id])
    return panel('11', id, {
      claim: 'caught in the trap, the momentum of the blue body turns both bodies about the corner',
      holds: Math.abs(red - blue) < exact && Math.abs(blue) > clear,
      found: `both turn by ${degrees(blue)}; they differ by ${degrees(Math.abs(red - blue))}`,
      figures: { turnOfRed_rad: red, turnOfBlue_rad: blue },
      why: 'The two lines of the bases cannot pass each other, and so the bodies turn as one. Blue is the smaller one; of two of one size neither turns (below), so that the paper’s were not.',
    })
  }
  const missST = held(st, [...flanks, ...bases], () => 0)
  const kept = held(ap, flanks, ({ gapStart }) => gapStart ?? Number.NaN)
  const closed = held(ap, bases, () => 0)
  const like = poseDifference(lnc, pm)
  const worst = leastValue(lnc)
  return [
    panel('11', 'pm', {
      claim: 'nothing is prevented: at the end of the step the bodies overlap, to be corrected in the next',
      holds: depthOf(pm) > 0.1 * path && pushing(pm).length === 0,
      found: `${millimetre(depthOf(pm))} deep, no impulse`,
      figures: { depth_m: depthOf(pm), impulses: pushing(pm).length },
      why: `Judged by a tenth of the way of ${millimetre(path)}: springs push where bodies overlap, and at the start they are apart.`,
    }),
    panel('11', 'st', {
      claim: 'all four contacts of the two corners are held, and so the nearest corners are trapped where they meet',
      holds: missST < exact,
      found: `all four gaps end at 0 but for ${millimetre(missST)}; the corners end ${millimetre(cornerDistance(scene, st))} from each other`,
      figures: {
        largestGap_m: missST,
        cornerDistance_m: cornerDistance(scene, st),
        impulses: impulsesPerManifold(scene, st).distinct,
      },
      why: 'Gaps to first order, as the model has them. The distance of the corners is that of the true geometry, after both have turned.',
    }),
    turning('st'),
    turning('ap'),
    panel('11', 'ap', {
      claim: 'on top of that the gap is kept from getting smaller',
      holds: Math.max(kept, closed) < exact,
      found: `the gap of ${millimetre(figure11.gap)} from corner to corner ends at ${millimetre(cornerDistance(scene, ap))}; each of the four gaps is what it was but for ${millimetre(Math.max(kept, closed))}`,
      figures: { gapChange_m: Math.max(kept, closed), cornerDistance_m: cornerDistance(scene, ap) },
      why: 'Velocities of gaps may not be below 0, however wide the gaps are.',
    }),
    panel('11', 'lnc', {
      claim: 'the corners pass through each other; it ends as with the penalty method',
      holds: like < 1e-12 && worst >= -1e-12 && depthOf(lnc) > 0.1 * path,
      found: `${millimetre(depthOf(lnc))} deep; differs from PM by ${like === 0 ? 'nothing' : like.toExponential(1)}; the least of its constraints ends at ${millimetre(worst)}`,
      figures: { poseDifference: like, leastConstraint_m: worst, depth_m: depthOf(lnc) },
      why: 'Each corner ends on the line of the other’s base, so that each has one side that it is not behind. Of all valid answers the one nearest to free motion is taken, and this is free motion itself.',
    }),
    ...(['literal', 'peg'] as const).flatMap((id) => pegClaims(scene, outcomes, id)),
  ]
}

/** Of the bodies of figure 11 by the paper's model. */
function pegClaims(scene: Scene, outcomes: ReturnType<Results>['outcomes'], id: 'literal' | 'peg'): PanelClaim[] {
  const { st, [id]: peg } = outcomes
  const lost = changeOf(momentum(planarMotions(scene, peg)))
  const { distinct } = impulsesPerManifold(scene, peg)
  const [red, blue] = turnsOf(peg)
  const loss = (outcome: Outcome) =>
    1 - kinetic(planarMotions(scene, outcome), 'after') / kinetic(planarMotions(scene, outcome), 'before')
  return [
    panel('11', id, {
      claim: 'no penetration, even with so large a step',
      holds: depthOf(peg) < overlapTolerance,
      found:
        `${peg.separation < -overlapTolerance ? `overlap ${millimetre(-peg.separation)}` : `separation ${millimetre(peg.separation)}`} in the true geometry${id === 'peg' ? '' : `, though the least of its constraints ends at ${millimetre(leastValue(peg))} to first order`}; ` +
        `momentum and angular momentum change by ${lost.toExponential(1)} N s and N m s at most`,
      figures: {
        separation_m: peg.separation,
        momentumChange_N_s: lost,
        ...(id === 'peg' ? {} : { leastConstraint_m: leastValue(peg) }),
      },
      why:
        id === 'peg'
          ? 'Judged by 1e-8 m. With the geometry of the start alone it would not hold: see what a large step does.'
          : 'Judged by 1e-8 m. The paper’s formulation keeps gaps to first order; bodies turn meanwhile, and overlap by what it leaves out. Sizes and speeds are not printed: what it leaves out goes with the square of the step.',
    }),
    panel('11', id, {
      claim: 'neither trap: the bodies are pushed apart in one place, where they meet, and each turns by itself',
      holds: placesOf(pushing(peg)) === 1 && Math.abs(red - blue) > clear && loss(peg) < loss(st),
      found:
        `${distinct === 1 ? '1 impulse' : `${distinct} impulses`} ${millimetre(farthestOff(peg))} from the surface; ` +
        `red turns by ${degrees(red)}, blue by ${degrees(blue)}; ${significant(100 * loss(peg), 3)} % of the kinetic energy is lost, with ST ${significant(100 * loss(st), 3)} %`,
      figures: {
        impulses: distinct,
        places: placesOf(pushing(peg)),
        offSurface_m: farthestOff(peg),
        turnOfRed_rad: red,
        turnOfBlue_rad: blue,
        energyLost: loss(peg),
        energyLostST: loss(st),
      },
      why: 'Judged by one place, by turns that differ, and by less energy taken than the trap does.',
    }),
  ]
}

/** Of all constraints the least value to first order [m]. */
const leastValue = ({ contacts, constraints }: Outcome): number =>
  Math.min(
    ...constraints.map(({ members }) =>
      Math.max(...members.map((m) => Math.min(...m.contacts.map((i) => contacts[i].gapLinear ?? Number.NaN)))),
    ),
  )

/** Closed forms for two congruent triangles on one line [m/s, J]. */
function congruentClaims(results: Results): PanelClaim[] {
  const { scene, outcomes } = results('11-congruent')
  const check = (id: 'st' | 'ap', red: number, blue: number, energy: number, words: string): PanelClaim => {
    const motions = planarMotions(scene, outcomes[id])
    const expected = [
      [red, 0, 0],
      [blue, 0, 0],
    ]
    const miss = Math.max(...motions.flatMap(({ after }, k) => after.map((value, i) => Math.abs(value - expected[k][i]))))
    const found = kinetic(motions, 'after')
    return panel('11-congruent', id, {
      claim: words,
      holds: miss < exact && Math.abs(found - energy) < exact,
      found:
        `velocities ${motions.map(({ after }) => significant(after[0], 6)).join(' and ')} m/s, no turn, but for ${miss.toExponential(1)}; ${significant(found, 6)} J`.replaceAll(
          '-',
          '\u2212',
        ),
      figures: { largestError_m_s: miss, energy_J: found },
      why: 'In closed form: bodies that cannot turn share the momentum, and close by what is left of the gap.',
    })
  }
  const conserved = (id: 'literal' | 'peg'): PanelClaim => {
    const motions = planarMotions(scene, outcomes[id])
    const change = changeOf(momentum(motions))
    return panel('11-congruent', id, {
      claim: 'what one body gets the other loses; they do not overlap',
      holds: change < 1e-12 && depthOf(outcomes[id]) < overlapTolerance,
      found: `momentum and angular momentum change by ${change.toExponential(1)} N s and N m s at most; separation ${millimetre(outcomes[id].separation)}`,
      figures: { momentumChange_N_s: change, separation_m: outcomes[id].separation },
      why: 'Not in the paper. Judged by 1e-12 N s and N m s, and by 1e-8 m of overlap in the true geometry.',
    })
  }
  return [
    check('st', -0.4, -0.6, 0.26, 'of two of one size neither turns: the gap closes, and they go on together'),
    check('ap', -0.5, -0.5, 0.25, 'nor here; the gap stays'),
    ...(['literal', 'peg'] as const).map(conserved),
  ]
}

/** How far the force moves the block that has landed in a step [m]. */
const slide = (figure12.push / figure12.mass) * figure12.dt * figure12.dt
const moved = ({ end }: Outcome) => end[1].p[0]
const found = (outcome: Outcome) => `a force of ${figure12.push} N for another step moves it ${millimetre(moved(outcome))}`

const sticks = (id: 'st' | 'ap', outcome: Outcome): PanelClaim =>
  panel('12-pushed', id, {
    claim: 'it is trapped: each corner is held by three faces of the other body',
    holds: Math.abs(moved(outcome)) < exact,
    found: found(outcome),
    figures: { moved_m: moved(outcome), free_m: slide },
    why: `Without friction it should slide ${millimetre(slide)}.`,
  })

const applicable = ' Of a corner’s faces the applicable ones may push, as the section on heuristics has it.'
const all = ' As printed all faces at a corner may push, and one of the solutions holds it.'

const slides = (id: 'literal' | 'peg', outcome: Outcome, reading: string): PanelClaim =>
  panel('12-pushed', id, {
    claim: 'it is not trapped: a force from outside moves it along',
    holds: Math.abs(moved(outcome) - slide) < exact && depthOf(outcome) < overlapTolerance,
    found: `${found(outcome)}; overlap ${millimetre(depthOf(outcome))}`,
    figures: { moved_m: moved(outcome), free_m: slide, depth_m: depthOf(outcome) },
    why: `In closed form F h² / m = ${millimetre(slide)}.${reading}`,
  })

function figure12Claims(results: Results): PanelClaim[] {
  const { outcomes } = results('12')
  const { outcomes: pushed } = results('12-pushed')
  const { size, top, gap, gravity, dt } = figure12
  const bottom = (outcome: Outcome) => outcome.end[1].p[2] - 0.5 * size
  const fallen = top + gap - gravity * dt * dt
  const heightAt = (id: ModelId, height: number, claim: string, why: string, more = true): PanelClaim =>
    panel('12', id, {
      claim,
      holds: Math.abs(bottom(outcomes[id]) - height) < exact && more,
      found: `its lower face ends at z = ${significant(bottom(outcomes[id]), 7)} m; in closed form ${significant(height, 7)} m`,
      figures: { z_m: bottom(outcomes[id]), expected_m: height },
      why,
    })
  const { lnc } = outcomes
  const sides = lnc.contacts.filter(
    ({ kind, what }) => kind !== 'edge-edge' && /[xy] face/.test(what) && lnc.constraints.length > 0,
  )
  const outside = Math.max(...sides.map(({ gapEnd }) => gapEnd ?? Number.NEGATIVE_INFINITY))
  const like = poseDifference(lnc, outcomes.pm)
  return [
    heightAt('pm', fallen, 'after the step it is deep in the block below', 'It falls freely, g h² in a step.'),
    heightAt('st', top, 'it lands as it should', 'The right motion happens to fit into the trap.'),
    sticks('st', pushed.st),
    heightAt('ap', top + gap, 'it hovers, in spite of gravity', 'Gaps may not close, however wide they are.'),
    sticks('ap', pushed.ap),
    heightAt(
      'lnc',
      fallen,
      'it falls through, as with the penalty method: the corners’ gaps to the outer faces end at 0, which is enough',
      `Corners that are flush with the side faces satisfy their constraints whatever the height: the greatest gap to a side is ${millimetre(outside)}. Differs from PM by ${like === 0 ? 'nothing' : like.toExponential(1)}.`,
      Math.abs(outside) < 1e-12 && like < 1e-12,
    ),
    ...(['literal', 'peg'] as const).flatMap((id) => [
      heightAt(id, top, 'it lands as it should, without penetration', 'The gap closes, and no more.'),
      slides(id, pushed[id], id === 'literal' ? applicable : ''),
    ]),
    {
      ...slides('literal', run(blocksOfFigure12(true), printed), all),
      where: 'Figure 12 (e), PEG, equations 22 and 23 as printed',
    },
  ]
}
