import type { CreateContactModel } from '../../contact/index.ts'
import { PairPhysics } from '../../contact/models/physicalGains.ts'
import { readCone } from '../../contact/models/velocityLevel/frictionOptions.ts'
import { createVelocityLevelModel } from '../../contact/models/velocityLevel/velocityLevel.ts'
import { OptionReader } from '../../contact/options.ts'

/**
 * A spring and a damper side by side in the normal, f = max(0, k d + c ḋ), at the end of the step (implicit Euler), and Coulomb's law on
 * the exact cone. With d⁺ = d - h u_n and p = h f that is a unilateral row with softness,
 *
 *   0 <= u_n + R p + a ⟂ p >= 0,    R = 1 / (h (c + h k)),    a = k gap / (c + h k) inside, gap / h outside,
 *
 * stable at any step. k and c are those of the pair of shapes (`PairPhysics`), shared among its points that close.
 *
 * Options: solver, and those of `createVelocityLevelModel`; restitution is the damper's.
 */
export const kelvinVoigt: CreateContactModel = (context, given) => {
  const name = 'kelvin-voigt'
  const reader = new OptionReader(name, given)
  const method = readCone(reader, 'cone')
  const pairs = new PairPhysics(context, false)
  const { dt } = context
  const gains = new Float64Array(3)
  return createVelocityLevelModel(context, reader, {
    name,
    ...method,
    used: [...method.used, ...pairs.parameters.used.filter((parameter) => parameter.name !== 'restitution')],
    unused: pairs.parameters.unused,
    turns: false,
    activeDistance: undefined,
    compliant: {
      write(out, problem, { contacts }, i) {
        pairs.write(gains, contacts, i)
        const damper = gains[1] + dt * gains[0]
        const gap = contacts.gap[i]
        out[0] = problem.contacts.pointsOf(i) / (dt * damper)
        out[2] = gap > 0 ? gap / dt : (gains[0] * gap) / damper
      },
    },
  })
}
