import type { ContactModel, ContactModelContext, CreateContactModel, ReportedParameter } from '../contactModel.ts'
import { readImpactOptions } from '../impacts/index.ts'
import { type PenaltyDeepestOptions, options as rows } from '../modelOptions.ts'
import { OptionReader, shown } from '../options.ts'
import { readFrictionOptions, shownFriction } from './forceLaw.ts'
import { createForceLevelModel } from './forceLevel.ts'
import { ForgettingSum } from './forgettingSum.ts'
import { readPenaltyGains } from './penaltyGains.ts'

/**
 * Force only at the deepest point of a pair of shapes, F = max(kp d - kv vn + ki I, 0): the classical penalty method that Drumwright (2008)
 * compares his own with (eq. 1 with one point), as a PD controller, or PID with the option `integral`. The point is the deepest of those of
 * `penalty`, with the same normal and depth; the first of equally deep ones.
 *
 * Option separation: 'damped', as above; or 'discontinuous', the spring of Moore and Wilhelms, Collision Detection and Response for
 * Computer Animation (1988): without a damper, and epsilon times as strong while the bodies separate. An impact of depth d stores k d² / 2
 * and returns a fraction epsilon, the square of the pair's restitution; 0, as Drumwright describes, if impulses give restitution. At rest
 * it chatters: a load L is carried only in steps in which it sinks, so that it rests deeper than L / k.
 *
 * A flat face therefore rocks from corner to corner, and walks under a pull T below mu N: friction stops the one supporting corner while
 * the face turns about it. On a box of 20 x 20 x 10 cm that is 3 to 5 times T h / m, 9 mm/s at T = mu N / 2, mu 0.5 and 1 ms, less with
 * smaller steps; with `friction: springs` 14 mm/s at any step, since each hop starts a new spring.
 *
 * The stiffness is that for the heavier of the two trees and does not adapt to the load: since a face rocks on one point, neither its depth
 * nor its force settles.
 */
export const penaltyDeepest: CreateContactModel<PenaltyDeepestOptions> = (context, given) => {
  const name = 'penalty-deepest'
  const isDiscontinuous = given?.separation === 'discontinuous'
  const options = new OptionReader(name, isDiscontinuous ? { kv: 0, ...given } : given)
  options.read(rows.deepest.separation)
  const friction = readFrictionOptions(options, context)
  const impacts = readImpactOptions(options)
  const use = { integral: false, loads: false, impulsive: impacts.impacts !== 'none' }
  const gains = readPenaltyGains(options, context, use, shownFriction(friction, context.integrator))
  options.finish()
  const sum = new ForgettingSum(context.pairCount, gains.lambda)
  /** Per pair: its deepest contact so far, -1 for none. */
  const deepest = new Int32Array(context.pairCount)
  const gain = new Float64Array(3)

  const model = createForceLevelModel(
    context,
    {
      name,
      memorySize: gains.memorySize,
      parameters: isDiscontinuous ? withSeparation(gains.parameters, context, use.impulsive) : gains.parameters,
      remember(contacts, memory) {
        if (gains.integral) sum.advance(contacts, memory)
      },
      conclude() {},
      select({ count, pair, gap }, selected) {
        for (let i = 0; i < count; i++) deepest[pair[i]] = -1
        for (let i = 0; i < count; i++) {
          selected[i] = 0
          if (!(gap[i] < 0)) continue
          const best = deepest[pair[i]]
          if (best >= 0 && gap[best] <= gap[i]) continue
          if (best >= 0) selected[best] = 0
          selected[i] = 1
          deepest[pair[i]] = i
        }
      },
      coefficients(contacts, memory, { selected, spring, slope, damping, u }) {
        const { count, pair, gap, restitution } = contacts
        for (let i = 0; i < count; i++) {
          if (selected[i] === 0) continue
          gains.write(gain, contacts, i, memory)
          if (isDiscontinuous && u[3 * i] > 0) {
            const epsilon = use.impulsive ? 0 : restitution[i] * restitution[i]
            for (let k = 0; k < 3; k++) gain[k] *= epsilon
          }
          spring[i] = (gains.integral ? gain[2] * memory[2 * pair[i]] : 0) - gain[0] * gap[i]
          slope[i] = gain[0]
          damping[i] = gain[1]
        }
      },
    },
    friction,
    impacts,
  )
  return { ...model, reading: 'penalty' }
}

function withSeparation(
  parameters: ContactModel['parameters'],
  { physical: { restitution } }: ContactModelContext,
  impulsive: boolean,
): ContactModel['parameters'] {
  const used: ReportedParameter[] = [...parameters.used, shown(rows.deepest.separation, 'discontinuous')]
  if (!impulsive) {
    used.push({ name: 'restitution', value: restitution, unit: '1', meaning: 'rebound over approach speed of a free impact' })
  }
  return { ...parameters, used, unused: impulsive ? parameters.unused : parameters.unused.filter((one) => one !== 'restitution') }
}
