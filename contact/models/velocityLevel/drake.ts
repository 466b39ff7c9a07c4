import type { CompliantContact, FrictionMethod, ImpulseProblem } from '../../constraints/index.ts'
import type { ContactModelContext, CreateContactModel, ReportedParameter } from '../../contactModel.ts'
import { type DrakeOptions, options as rows } from '../../modelOptions.ts'
import { OptionReader, shown } from '../../options.ts'
import { type CompliantLaw, spring } from '../../solvers/index.ts'
import { dissipationOfRestitution } from '../huntCrossley.ts'
import { PairPhysics } from '../physicalGains.ts'
import { depthOfStrain, Strain } from '../strain.ts'
import { readCone } from './frictionOptions.ts'
import { createVelocityLevelModel } from './velocityLevel.ts'

/**
 * Drake's discrete laws of contact, but for the last each the optimality conditions of a strictly convex minimum over the velocities v of
 * the end of the step,
 *
 *   1/2 |v - v_free|² in M~ + Σ l(J_i v),    so that    M~ (v - v_free) = Jᵀ gamma,   gamma_i = -∂l/∂u at u = J_i v,
 *
 * of contacts that penetrate at its start, by phi_0 < 0:
 *
 *   sap      K ∋ gamma ⟂ u - u_hat + R gamma ∈ K*,   u_hat_n = -phi_0 / (h + tau),   R_n = max(beta² w / (4 pi²), 1 / (h k (h + tau))),
 *            R_t = sigma w. Castro, Permenter and Han, An unconstrained convex formulation of compliant contact, IEEE T-RO 39 (2022)
 *   lagged   gamma_n = n(u_n), gamma_t = -mu n_0 t(u_t):  n(z) = h (-k (phi_0 + h z))+ (1 - d z)+, n_0 its value at the start of the step,
 *            t(x) = x / sqrt(|x|² + e²), e = max(v_s, mu sigma w n_0)
 *   similar  gamma_n = n(z), gamma_t = -mu n(z) t(u_t):   z = u_n - mu (sqrt(|u_t|² + e²) - e). Both: Castro, Han and Masterjohn, Irrotational
 *            contact fields, arXiv 2312.03908 (2023)
 *   tamsi    gamma_n = n(u_n), gamma_t = -mu n(u_n) m(u_t):  m(x) = s (2 - s) x / r up to s = 1, then x / r,  s = r / v_s,
 *            r = sqrt(|x|² + (v_s / 100)²). Castro, Qu, Kuppuswamy, Alspach and Sherman, A transition-aware method for the simulation of
 *            compliant contact with regularized friction, IEEE RA-L 5 (2020)
 *
 * w is the root mean square of the contact's block of W, as if velocities were not coupled. k is the pair's (`PairPhysics`), shared among
 * its points that close. docs/contact-models.md describes the deviations of each from rigid contact and from Drake.
 *
 * Options: approximation; points, all of `ManifoldNarrowphase` or one a pair (`PointNarrowphase`); relaxationTime tau [s], beta (sap);
 * dissipation d [s/m], referenceSpeed [m/s], stictionTolerance v_s [m/s] (the others); sigma (not tamsi); and those of
 * `createVelocityLevelModel`.
 */
export const drake: CreateContactModel<DrakeOptions> = (context, given) => {
  const name = 'drake'
  const reader = new OptionReader(name, given)
  const approximation = reader.read(rows.drake.approximation)
  const points = reader.read(rows.drake.points)
  const sigma = reader.read(rows.drake.sigma)
  const pairs = new PairPhysics(context, false)
  const chosen = [shown(rows.drake.approximation, approximation), ...(points === 'one' ? [shown(rows.drake.points, points)] : [])]
  const share = approximation === 'tamsi' ? [] : [shown(rows.drake.sigma, sigma)]
  const { method, compliant, used } =
    approximation === 'sap'
      ? createSap(context, reader, pairs, sigma)
      : createHuntCrossley(context, reader, pairs, approximation, sigma)
  const physical = pairs.parameters.used.filter((parameter) => parameter.name !== 'restitution')
  const strain = new Strain(name, depthOfStrain(pairs.parameters, context))
  const model = createVelocityLevelModel(context, reader, {
    name,
    conclude: (step) => strain.count(step),
    ...method,
    used: [...chosen, ...method.used, ...physical, ...used, ...share],
    unused: pairs.parameters.unused,
    turns: false,
    activeDistance: 0,
    compliant,
  })
  return points === 'one' ? { ...model, lookAhead: 0, reading: 'point' } : model
}

interface Law {
  readonly method: FrictionMethod
  readonly compliant: CompliantContact
  readonly used: readonly ReportedParameter[]
}

function createSap({ dt }: ContactModelContext, reader: OptionReader, pairs: PairPhysics, sigma: number): Law {
  const stated = reader.read(rows.drake.relaxationTime)
  const beta = reader.read(rows.drake.beta)
  const { stiffness, damping } = pairs.heaviest
  const gains = new Float64Array(3)
  const w = new Float64Array(1)
  return {
    method: readCone(reader, 'associated'),
    compliant: {
      usesMass: true,
      write(out, problem, { contacts }, i) {
        pairs.write(gains, contacts, i)
        const k = gains[0] / problem.contacts.pointsOf(i)
        const time = Number.isNaN(stated) ? gains[1] / gains[0] : stated
        sizeOfBlock(w, problem, i)
        const rigid = (beta * beta * w[0]) / (4 * Math.PI * Math.PI)
        const soft = 1 / (dt * k * (dt + time))
        out[0] = soft > rigid ? soft : rigid
        out[1] = sigma * w[0]
        out[2] = contacts.gap[i] / (dt + time)
      },
    },
    used: [
      Number.isNaN(stated)
        ? shown(rows.drake.relaxationTime, damping / stiffness, 'damping over stiffness, of the heaviest on something fixed')
        : shown(rows.drake.relaxationTime, stated),
      shown(rows.drake.beta, beta),
    ],
  }
}

function createHuntCrossley(
  context: ContactModelContext,
  reader: OptionReader,
  pairs: PairPhysics,
  friction: CompliantLaw,
  sigma: number,
): Law {
  const { dt, physical } = context
  const stated = reader.read(rows.drake.dissipation)
  const referenceSpeed = reader.read(rows.drake.referenceSpeed)
  const stictionTolerance = reader.read(rows.drake.stictionTolerance)
  const depth = physical.allowedPenetration
  const known = Float64Array.of(Number.NaN, 0)
  const gains = new Float64Array(3)
  const w = new Float64Array(1)
  /** gains[1], a damping or NaN := d [s/m]: the stated d, else from the damping, else from the restitution of i, else critical at rest. */
  const setDissipation = (restitution: Float64Array, i: number): void => {
    if (!Number.isNaN(stated)) gains[1] = stated
    else if (!Number.isNaN(gains[1])) gains[1] /= gains[0] * depth
    else if (restitution[i] > 0) {
      if (known[0] !== restitution[i]) {
        known[0] = restitution[i]
        known[1] = dissipationOfRestitution(restitution[i]) / referenceSpeed
      }
      gains[1] = known[1]
    } else gains[1] = (2 * Math.sqrt(gains[0] * gains[2])) / (gains[0] * depth)
  }
  gains.set([pairs.heaviest.stiffness, physical.damping ?? Number.NaN, pairs.heaviest.mass])
  setDissipation(Float64Array.of(physical.restitution), 0)
  const dissipation = gains[1]
  return {
    method: { friction, solvers: [], initialSolver: -1, used: [] },
    compliant: {
      usesMass: true,
      write: (out) => out.fill(0, 0, 3),
      writeSpring(out, at, problem, { contacts }, i) {
        pairs.writeStated(gains, contacts, i)
        setDissipation(contacts.restitution, i)
        const k = gains[0] / problem.contacts.pointsOf(i)
        const impulse = contacts.gap[i] < 0 ? -dt * k * contacts.gap[i] : 0
        const damper = 1 - gains[1] * problem.contacts.uStart[3 * i]
        const before = damper > 0 ? impulse * damper : 0
        sizeOfBlock(w, problem, i)
        const soft = problem.contacts.friction[i] * sigma * w[0] * before
        out[at + spring.impulse] = impulse
        out[at + spring.stiffness] = dt * dt * k
        out[at + spring.dissipation] = gains[1]
        out[at + spring.before] = before
        out[at + spring.slip] = soft > stictionTolerance && friction !== 'tamsi' ? soft : stictionTolerance
      },
    },
    used: [
      shown(rows.drake.dissipation, dissipation),
      shown(rows.drake.referenceSpeed, referenceSpeed),
      shown(rows.drake.stictionTolerance, stictionTolerance),
    ],
  }
}

/** w[0] := Frobenius norm over 3 of J diag(M~)⁻¹ Jᵀ of contact i [1/kg]: Drake's estimate of its block of the Delassus matrix. */
function sizeOfBlock(w: Float64Array, { contacts, system }: ImpulseProblem, i: number): void {
  const { J, velocities, first, size, entry, pattern } = contacts.rows
  const { M } = system
  const { nv } = pattern.model
  let nn = 0
  let xx = 0
  let yy = 0
  let nx = 0
  let ny = 0
  let xy = 0
  for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) {
    const k = velocities[c]
    const inverse = 1 / M[k * nv + k]
    nn += J[e] * J[e] * inverse
    xx += J[e + 1] * J[e + 1] * inverse
    yy += J[e + 2] * J[e + 2] * inverse
    nx += J[e] * J[e + 1] * inverse
    ny += J[e] * J[e + 2] * inverse
    xy += J[e + 1] * J[e + 2] * inverse
  }
  w[0] = Math.sqrt(nn * nn + xx * xx + yy * yy + 2 * (nx * nx + ny * ny + xy * xy)) / 3
}
