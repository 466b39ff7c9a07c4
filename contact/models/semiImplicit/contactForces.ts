import { addWork } from '../../../dynamics/index.ts'
import type { ContactRows } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import type { ForceWorkspace } from '../forceLaw.ts'
import { type ActiveSet, DAMPER, DRAG, SLIDE, SPRING, STICK } from './activeSet.ts'

/** Cost of a contact in one pass, in multiply-adds, besides its rows. */
const CONTACT = 150

/** Contact forces linearised in the end-of-step velocity, f = f0 - B (J v⁺), and their values there. */
export class ContactForces {
  /** Per contact: the normal force of the last pass, negative if it would pull [N]. */
  normal = new Float64Array(0)
  /** 3 a contact: J v⁺. */
  uNext = new Float64Array(0)
  /** 3 a contact: f0 - B u, u = J v at the start of the step. */
  constant = new Float64Array(0)
  readonly work: ForceWorkspace
  private readonly rows: ContactRows
  /** 3 a contact: Bt as [11, 12, 22]. */
  private tangential = new Float64Array(0)
  /** Per contact, 4: h B, as [n, 11, 12, 22]. */
  private hB = new Float64Array(0)

  constructor(rows: ContactRows, work: ForceWorkspace) {
    this.rows = rows
    this.work = work
  }

  reserve(capacity: number): void {
    this.normal = new Float64Array(capacity)
    this.uNext = new Float64Array(3 * capacity)
    this.constant = new Float64Array(3 * capacity)
    this.tangential = new Float64Array(3 * capacity)
    this.hB = new Float64Array(4 * capacity)
  }

  /** Linearises all forces at the present modes. */
  linearise(step: ContactStep, activeSet: ActiveSet): void {
    const { contacts, dt } = step
    const { count, viscous } = contacts
    const { mode, holding, load, direction, speed, coefficient, stiff, stretch } = activeSet
    const { constant, tangential, hB, work } = this
    const { active, spring, slope, damping, u } = work
    addWork(count, CONTACT, 1)
    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
      const strength = coefficient[i] * load[i]
      let across = 0
      let x = 0
      let y = 0
      let b = viscous[i] * load[i]
      if (mode[i] === SLIDE) {
        across = strength / speed[i]
        x = direction[2 * i]
        y = direction[2 * i + 1]
      } else if (mode[i] === DRAG || (mode[i] === STICK && holding[i] === DAMPER)) b += strength / speed[i]
      else b = 0 // no friction, or its sticking force is not a damper
      if (holding[i] === SPRING && mode[i] !== DRAG) activeSet.stretchSpring(i, step)
      const onSpring = mode[i] === STICK && holding[i] === SPRING ? stiff[i] : 0
      const s1 = stretch[2 * i]
      const s2 = stretch[2 * i + 1]
      const A11 = across * y * y
      const A22 = across * x * x
      const Bn = damping[i] + dt * slope[i]
      const B11 = A11 + onSpring + b
      const B12 = -across * x * y
      const B22 = A22 + onSpring + b
      const n = 3 * i
      const u1 = u[n + 1]
      const u2 = u[n + 2]
      constant[n] = spring[i] - Bn * u[n]
      constant[n + 1] = -strength * x - (A11 + onSpring) * s1 - B12 * s2 - (B11 * u1 + B12 * u2)
      constant[n + 2] = -strength * y - B12 * s1 - (A22 + onSpring) * s2 - (B12 * u1 + B22 * u2)
      tangential[n] = B11
      tangential[n + 1] = B12
      tangential[n + 2] = B22
      hB[4 * i] = dt * Bn
      hB[4 * i + 1] = dt * B11
      hB[4 * i + 2] = dt * B12
      hB[4 * i + 3] = dt * B22
    }
  }

  /**
   * H += h Jᵀ B J and force += Jᵀ (f0 - B u) of all active contacts. A contact's list of velocities is in elimination order: the entries
   * after k are in row k of H, as the factorisation needs them. Two rows at a time, so that J is read half as often.
   */
  addTo(H: Float64Array, force: Float64Array, count: number): void {
    const { hB, constant, rows, work } = this
    const { J, first, size, velocities, entry } = rows
    const nv = force.length
    for (let i = 0; i < count; i++) {
      if (work.active[i] === 0) continue
      addWork(size[i], size[i], 2)
      const fn = constant[3 * i]
      const f1 = constant[3 * i + 1]
      const f2 = constant[3 * i + 2]
      const Bn = hB[4 * i]
      const B11 = hB[4 * i + 1]
      const B12 = hB[4 * i + 2]
      const B22 = hB[4 * i + 3]
      const end = first[i] + size[i]
      let a = first[i]
      let e = 3 * entry[i]
      for (; a + 1 < end; a += 2, e += 6) {
        const k = velocities[a]
        const kn = J[e]
        const k1 = J[e + 1]
        const k2 = J[e + 2]
        const n = Bn * kn
        const s1 = B11 * k1 + B12 * k2
        const s2 = B12 * k1 + B22 * k2
        const l = velocities[a + 1]
        const ln = J[e + 3]
        const l1 = J[e + 4]
        const l2 = J[e + 5]
        const o = Bn * ln
        const t1 = B11 * l1 + B12 * l2
        const t2 = B12 * l1 + B22 * l2
        force[k] += kn * fn + k1 * f1 + k2 * f2
        force[l] += ln * fn + l1 * f1 + l2 * f2
        const rowK = k * nv
        const rowL = l * nv
        H[rowK + k] += n * kn + s1 * k1 + s2 * k2
        for (let b = a + 1, f = e + 3; b < end; b++, f += 3) {
          const m = velocities[b]
          const mn = J[f]
          const m1 = J[f + 1]
          const m2 = J[f + 2]
          H[rowK + m] += n * mn + s1 * m1 + s2 * m2
          H[rowL + m] += o * mn + t1 * m1 + t2 * m2
        }
      }
      if (a === end) continue
      const k = velocities[a]
      const kn = J[e]
      const k1 = J[e + 1]
      const k2 = J[e + 2]
      force[k] += kn * fn + k1 * f1 + k2 * f2
      H[k * nv + k] += Bn * kn * kn + (B11 * k1 + B12 * k2) * k1 + (B12 * k1 + B22 * k2) * k2
    }
  }

  /**
   * Writes forces at the end of the step to `normal` and `work.force`. Without branches: a branch first taken later makes the engine
   * discard the compiled function, and until it is recompiled every number in it is boxed.
   */
  evaluate({ contacts, dt }: ContactStep, vNext: Float64Array): void {
    const { rows, work, uNext, constant, tangential, normal } = this
    const { active, spring, slope, damping, u, force } = work
    const { count } = contacts
    rows.velocity(uNext, vNext, count)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      const d1 = uNext[n + 1] - u[n + 1]
      const d2 = uNext[n + 2] - u[n + 2]
      const fn = spring[i] - (damping[i] + dt * slope[i]) * uNext[n]
      const f1 = constant[n + 1] - tangential[n] * d1 - tangential[n + 1] * d2
      const f2 = constant[n + 2] - tangential[n + 1] * d1 - tangential[n + 2] * d2
      const isActive = active[i] !== 0
      normal[i] = fn
      force[n] = isActive ? fn : 0
      force[n + 1] = isActive ? f1 : 0
      force[n + 2] = isActive ? f2 : 0
    }
  }
}
