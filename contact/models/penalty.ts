import type { CreateContactModel } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import type { VolumeContacts } from '../detection/index.ts'
import { readImpactOptions } from '../impacts/index.ts'
import { type PenaltyOptions, options as rows } from '../modelOptions.ts'
import { OptionReader, shown } from '../options.ts'
import { countActive, readFrictionOptions, shownFriction } from './forceLaw.ts'
import { createForceLevelModel } from './forceLevel.ts'
import { ForgettingSum } from './forgettingSum.ts'
import { readPenaltyGains } from './penaltyGains.ts'

/**
 * Spring, damper and forgetting integral at the points on the bottom of the volume of intersection, shared among them: F = max((kp d - kv
 * vn + ki I) / r, 0) at each of the r points of a pair of shapes at which that is not zero, d being the point's own depth and I the
 * integral of the pair's largest. Drumwright, A fast and stable penalty method for rigid body simulation, IEEE TVCG 14 (2008), eqs. 2 to 4.
 *
 * The integral and the count r are those of the start of the step, whatever the integrator. Therefore a box that lands on an edge may keep
 * rocking, a millimetre deep, above omega dt of about 3 (omega² = stiffness / mass); pairs with a derived stiffness beyond it have no
 * integral.
 *
 * Whether a point's force is positive does not depend on r: first the signs, then the count, then the division.
 *
 * Option fullShare (0 to 1): the fraction of its pair's greatest depth beyond which a point counts as 1 in r; a shallower point counts, and
 * has force, in proportion to its depth, so that a lifting corner transfers its load gradually. At 0 all active points count equally, as in
 * the paper: when two of a box's four corners lift, the force at the others doubles at that moment, so that a box which lands deeper than
 * it lifted gains energy, and a column of boxes that sways that far keeps swaying.
 *
 * Option points: 'bottom'; 'steiner', as in the paper, whose points are vertices of finely divided faces; or 'volume': springs and dampers spread over the patch of the volume of intersection, F = kp V / A0 and its
 * moment, A0 being the area at which a pair's gains apply in full (Hasegawa and Sato (2004); `VolumeNarrowphase`), by default without the
 * integral.
 */
export const penalty: CreateContactModel<PenaltyOptions> = (context, given) => {
  const name = 'penalty'
  const options = new OptionReader(name, given)
  const friction = readFrictionOptions(options, context)
  const impacts = readImpactOptions(options)
  const points = options.read(rows.shares.points)
  const ofVolume = points === 'volume'
  const use = { integral: !ofVolume, loads: true, impulsive: impacts.impacts !== 'none' }
  const gains = readPenaltyGains(options, context, use, shownFriction(friction, context.integrator))
  const fullShare = options.read(rows.shares.fullShare)
  options.finish()
  const shares = fullShare === 0 ? [] : [shown(rows.shares.fullShare, fullShare)]
  if (points !== 'bottom') shares.push(shown(rows.shares.points, points))
  const sum = new ForgettingSum(context.pairCount, gains.lambda)
  /** Per pair: r, and the depth beyond which a point counts as 1 [m]. */
  const sharing = new Float64Array(context.pairCount)
  const fullDepth = new Float64Array(fullShare > 0 ? context.pairCount : 0)
  const gain = new Float64Array(3)
  const ofDeepest = Float64Array.of(fullShare)

  const model = createForceLevelModel(
    context,
    {
      name,
      memorySize: gains.memorySize,
      parameters: { ...gains.parameters, used: [...gains.parameters.used, ...shares] },
      remember(contacts, memory) {
        if (gains.integral) sum.advance(contacts, memory)
        gains.loads?.begin(contacts, memory)
      },
      conclude: (contacts, memory) => gains.loads?.end(contacts, memory),
      select({ count, gap }, selected) {
        for (let i = 0; i < count; i++) selected[i] = gap[i] < 0 ? 1 : 0
      },
      coefficients(contacts, memory, { selected, active, spring, slope, damping }) {
        const { count, pair, gap } = contacts
        if (fullShare > 0) sumShares(sharing, fullDepth, contacts, selected, ofDeepest)
        else countActive(sharing, contacts, active)
        for (let i = 0; i < count; i++) {
          if (selected[i] === 0) continue
          const shallow = fullShare > 0 && -gap[i] < fullDepth[pair[i]]
          const share = ofVolume ? (contacts as VolumeContacts).share[i] : 0
          const r =
            share > 0
              ? 1 / share
              : (sharing[pair[i]] > 1 ? sharing[pair[i]] : 1) * (shallow ? fullDepth[pair[i]] / (0 - gap[i]) : 1)
          // the points of a pair are consecutive, and have the same gains
          if (i === 0 || selected[i - 1] === 0 || pair[i - 1] !== pair[i]) gains.write(gain, contacts, i, memory)
          const integral = gains.integral ? gain[2] * memory[2 * pair[i]] : 0
          spring[i] = (integral - gain[0] * gap[i]) / r
          slope[i] = gain[0] / r
          damping[i] = gain[1] / r
        }
      },
    },
    friction,
    impacts,
  )
  return { ...model, reading: points === 'bottom' ? 'penalty' : points }
}

/**
 * sharing := sum over the selected points of a pair of min(1, depth / `fullDepth`); fullDepth := ofDeepest[0] times the depth of the pair's
 * deepest point [m].
 */
function sumShares(
  sharing: Float64Array,
  fullDepth: Float64Array,
  { count, pair, gap }: ContactSet,
  selected: Uint8Array,
  ofDeepest: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    sharing[pair[i]] = 0
    fullDepth[pair[i]] = 0
  }
  for (let i = 0; i < count; i++) {
    if (-ofDeepest[0] * gap[i] > fullDepth[pair[i]]) fullDepth[pair[i]] = -ofDeepest[0] * gap[i]
  }
  for (let i = 0; i < count; i++) {
    if (selected[i] === 0) continue
    const depth = 0 - gap[i]
    sharing[pair[i]] += depth < fullDepth[pair[i]] ? depth / fullDepth[pair[i]] : 1
  }
}
