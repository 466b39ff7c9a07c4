import type { CreateContactModel } from '../contactModel.ts'
import { readImpactOptions } from '../impacts/index.ts'
import { readFrictionOptions, shownFriction } from './forceLaw.ts'
import { createForceLevelModel } from './forceLevel.ts'
import { ForgettingSum } from './forgettingSum.ts'
import { OptionReader } from './options.ts'
import { readPenaltyGains } from './penaltyGains.ts'

/**
 * The points on the bottom of the volume of intersection push, with a spring, a damper and a forgetting integral shared among them:
 * F = max((kp d - kv vn + ki I) / r, 0) at each of the r points of a pair of shapes at which that is not zero, d being the
 * point's own depth and I following the pair's largest.
 * Drumwright, A fast and stable penalty method for rigid body simulation, IEEE TVCG 14 (2008), eqs. 2 to 4.
 *
 * The integral and the count r are those of the start of the step, whatever the integrator. Above omega dt = 3 or so
 * (omega² = stiffness / mass) a box that lands on an edge may for that reason go on rocking, a millimetre deep.
 *
 * Whether a point pushes does not depend on r, so signs come first, then the count, then the division.
 */
export const penalty: CreateContactModel = (context, given) => {
  const name = 'penalty'
  const options = new OptionReader(name, given)
  const friction = readFrictionOptions(options, context)
  const impacts = readImpactOptions(options, context)
  const use = { integral: true, impulsive: impacts.impacts !== 'none' }
  const gains = readPenaltyGains(options, context, use, shownFriction(friction, context.integrator))
  options.finish()
  const sum = new ForgettingSum(context.pairCount, gains.lambda)
  const sharing = new Float64Array(context.pairCount)
  const gain = new Float64Array(3)

  const model = createForceLevelModel(
    context,
    {
      name,
      memorySize: gains.integral ? sum.memorySize : 0,
      parameters: gains.parameters,
      remember(contacts, memory) {
        if (gains.integral) sum.advance(contacts, memory)
      },
      select({ count, gap }, selected) {
        for (let i = 0; i < count; i++) selected[i] = gap[i] < 0 ? 1 : 0
      },
      coefficients(contacts, memory, selected, active, spring, slope, damping) {
        const { count, pair, gap } = contacts
        for (let i = 0; i < count; i++) sharing[pair[i]] = 0
        for (let i = 0; i < count; i++) if (active[i] !== 0) sharing[pair[i]]++
        for (let i = 0; i < count; i++) {
          if (selected[i] === 0) continue
          const r = Math.max(sharing[pair[i]], 1)
          // the points of a pair follow each other, and its gains are the same at each
          if (i === 0 || selected[i - 1] === 0 || pair[i - 1] !== pair[i]) gains.write(gain, contacts, i)
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
  return { ...model, reading: 'penalty' }
}
