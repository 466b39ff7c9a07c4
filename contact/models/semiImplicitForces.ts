import { addWork, crbaOnBranches, type Model, PassiveJoints, RestFrame, rnea, workOn } from '../../dynamics/index.ts'
import { ContactRows, hasFriction, slidingFriction, UniformPatch } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { type ForceLaw, ForceWorkspace, type FrictionOptions } from './forceLaw.ts'
import { StickingSystem, TangentialSprings } from './friction/index.ts'
import { LimitSprings } from './joints.ts'
import { LoopSprings } from './loopSprings.ts'
import { TurningDrag } from './turningDrag.ts'

/** Work of a contact in one pass, in multiply-adds, besides its rows. */
const CONTACT = 150
/** Passes of one implicit step before friction is relaxed, see `giveWay`. */
const PASS_LIMIT = 20
/** More contacts than this are a crowd, which hardly ever converges to the last digit; the next five constants are for crowds. */
const FEW_CONTACTS = 40
/** Passes after which the tolerance of friction grows, fourfold with every pass; see `slacken`. */
const STRICT_PASSES = 4
/** Passes after which contacts that alternate between sticking and sliding become dampers, see `drag`. */
const DRAG_PASSES = 5
/** Passes after which the load of friction only falls, and too little friction is accepted. */
const FALLING_PASSES = 8
/** Relative error in friction that is accepted in the end. */
const GREATEST_TOLERANCE = 0.1
/** Share of the greatest normal force on one of its bodies: the tolerance of a contact with less load is that of this load. */
const SMALL_SHARE = 0.1
/** Pass from which on a released contact stays released. */
const RETURN_PASSES = 4
/** Passes after which solved static friction is regularised for the rest of the step. */
const HELD_PASSES = 8
/** Relative error in a friction force, and in its normal force, that requires another pass. */
const FORCE_TOLERANCE = 1e-3

/** Rounding of velocities: a contact of the linear system slides back only if it is faster [m/s]. */
const HELD_STILL = 1e-10

/** Least square of the cosine between slip and friction, of a contact released by the linear system. */
const STRAIGHT = 1 - 1e-5

// friction modes of a contact
const FRICTIONLESS = 0
const STICK = 1
const SLIDE = 2
/** Friction is a plain damper; see `drag` and `giveWay`. */
const DRAG = 3

// holding forces of a sticking contact
/** A damper that is stiff up to the stick speed. */
const DAMPER = 0
const SPRING = 1
/** A force of zero slip, from the linear system. */
const SYSTEM = 2

// verdicts of the end of the step on a contact's guess
const HOLDS = 0
/** Released, but would push. */
const PUSHES = 1
const PULLS = 2
/** Assumed sticking, but moves faster than the stick speed. */
const SLIPS = 3
/** Assumed sliding one way, but slides the other. */
const TURNS_ROUND = 4
/** Friction does not match the resulting normal force. */
const MISSES = 5

/**
 * The semi-implicit step of a force law. Everything in a force that depends on velocity, and the spring's change over the
 * step to first order, is evaluated at the velocity at the end of the step (linearly implicit), so that neither critical
 * damping nor nearly rigid friction limits the step size:
 *
 *   (M + h D + h² K + h Σ Jᵀ B J) v⁺ = M v + h (tau - c - K (q - rest) + Σ Jᵀ f0),   contact force f = f0 - B J v⁺,
 *
 * with velocities in axes fixed over the step (see `RestFrame`) and c the bias force in these; B = diag(damping + h slope, Bt) in (normal,
 * tangents). For contacts with a fixed body, Jᵀ B J lies within the branch-induced sparsity of M, so the same factorisation serves at no
 * extra fill; contacts between moving bodies couple their trees (`SparseCholesky`). Joint limits and closed loops are springs and dampers in
 * the same system (`LimitSprings`, `LoopSprings`).
 *
 * Friction is the holding force g of a sticking contact, and where that is beyond the cone, mu F g / |g|, linearised as in Newton's method.
 * The kind of g may differ from contact to contact:
 *
 *   regularised   g = -b v_t, b = mu F / stickSpeed: sticking, Bt = b; sliding along t, a constant -mu F t and
 *                 Bt = mu F / |v_t| across t only
 *   springs       g = -k e - (c + h k) v_t, e the extension of the spring: the same with b = c + h k and v_t + k e / b in
 *                 place of v_t
 *   solved        g such that v_t = 0, for all sticking contacts at once (`StickingSystem`), on the H of all other forces
 *
 * A contact sticks up to muStatic F, and slides with mu + (muStatic - mu) exp(-(|v_t| / stribeck)²) at the slip of the guess,
 * that is of the start of the step or of the pass before, held over the pass: where friction falls with speed an implicit
 * law could have several solutions or none. So a sliding contact has one constant force, which never does work on it. The viscous part,
 * viscous F v_t, is implicit.
 *
 * The step is solved again while a contact would pull (it is released), friction would leave its cone, or F has moved from the value that
 * friction was computed with (a secant finds the consistent value); rest and steady sliding need one pass, a change of contact two to four,
 * a pile of a hundred bodies that settles about ten; the accepted error in friction grows with the passes, to a tenth, and alternating
 * contacts become dampers (`drag`). If the passes run out, friction is relaxed until it is admissible (`giveWay`); that counts as a
 * fallback.
 */
export class SemiImplicitForces {
  readonly loops: LoopSprings
  private readonly law: ForceLaw
  private readonly stickSpeed: number
  /** Slip up to which a contact of solved static friction is first assumed to stick [m/s]. */
  private readonly stickSpeedSolved: number
  /** Default holding force of contacts: DAMPER, SPRING or SYSTEM. */
  private readonly hold: number
  private readonly springs: TangentialSprings
  private readonly sticking: StickingSystem
  private readonly frame: RestFrame
  private readonly rows: ContactRows
  private readonly joints: PassiveJoints
  private readonly limits: LimitSprings
  private readonly turning: TurningDrag
  private readonly patch: UniformPatch | undefined
  private readonly work = new ForceWorkspace()
  private readonly c: Float64Array
  private readonly H: Float64Array
  /** nv: right-hand side, then the change of velocity over the step. */
  private readonly dv: Float64Array
  private readonly vNext: Float64Array
  /** Per contact: FRICTIONLESS, STICK, SLIDE or DRAG; and its holding force when it sticks. */
  private mode = new Uint8Array(0)
  private holder = new Uint8Array(0)
  /** Per contact: the dry part of its coefficient of friction. */
  private coefficient = new Float64Array(0)
  /** Per contact: HOLDS or another verdict of the last pass. */
  private verdict = new Uint8Array(0)
  /** Per contact: the relative error in friction that requires another pass; and 1: its multiple allowed for too little friction. */
  private tolerance = new Float64Array(0)
  private readonly tooLittle = new Float64Array(1)
  private isCrowd = false
  /** Per body: the greatest normal force on it [N]. */
  private readonly greatest: Float64Array
  /** Per contact: the normal force of the last pass, negative where it would pull [N]. */
  private normal = new Float64Array(0)
  /** Per contact: the normal force used for friction [N]. */
  private load = new Float64Array(0)
  /** Per contact: the load before, and the error of its resulting normal force; NaN at first [N]. */
  private oldLoad = new Float64Array(0)
  private oldMiss = new Float64Array(0)
  /** Per contact, 2: direction of sliding; and 1: speed of sliding, or up to which sticking friction is viscous [m/s]. */
  private direction = new Float64Array(0)
  private speed = new Float64Array(0)
  /** Per contact: its slip in the guess, and the speed up to which its holding force yields [m/s]. */
  private slip = new Float64Array(0)
  private yields = new Float64Array(0)
  /** Per contact on a spring: b [N s/m]; and 2 a contact, 0 without a spring: k e / b [m/s]. */
  private stiff = new Float64Array(0)
  private stretch = new Float64Array(0)
  /** Per contact, 3: f0 - B u, and 3: Bt as [11, 12, 22]. */
  private constant = new Float64Array(0)
  private tangential = new Float64Array(0)
  /** 1: the time step, for calls per contact [s]. */
  private readonly h = new Float64Array(1)
  /** Per contact, 4: h B, as [n, 11, 12, 22]. */
  private hB = new Float64Array(0)
  /** 3 a contact: J v⁺. */
  private uNext = new Float64Array(0)

  constructor(context: ContactModelContext, law: ForceLaw, friction: FrictionOptions) {
    const { model, pairCount, trees } = context
    this.law = law
    this.stickSpeed = friction.stickSpeed
    this.stickSpeedSolved = friction.stickSpeedExplicit
    this.hold = friction.kind === 'springs' ? SPRING : friction.kind === 'solved' ? SYSTEM : DAMPER
    this.springs = new TangentialSprings(pairCount, trees, friction.tangentialStiffness, law.memorySize)
    this.sticking = new StickingSystem(model.nv)
    this.frame = new RestFrame(model)
    this.loops = new LoopSprings(context)
    this.rows = new ContactRows(model, this.loops.rows)
    this.joints = new PassiveJoints(model)
    this.limits = new LimitSprings(context)
    this.turning = new TurningDrag(model)
    this.patch = friction.patch === 'uniform' ? new UniformPatch(context) : undefined
    this.c = new Float64Array(model.nv)
    this.H = new Float64Array(model.nv * model.nv)
    this.dv = new Float64Array(model.nv)
    this.vNext = new Float64Array(model.nv)
    this.greatest = new Float64Array(model.nb)
  }

  advance(step: ContactStep): void {
    const { model, state, data, contacts, memory, dt, events } = step
    const { law, frame, rows, joints, limits, work } = this
    const { q, v } = state
    this.reserve(contacts.capacity)
    workOn('forces', contacts.count, 0)

    crbaOnBranches(model, data)
    frame.begin(v, dt)
    rnea(model, state, frame.acceleration, data, this.c)
    rows.buildMoving(data, contacts, v, work.u)
    this.patch?.move(data, contacts, rows, v, work.u)
    this.turning.begin(data, contacts, rows, v)
    law.remember(contacts, memory)
    law.select(contacts, work.selected)
    for (let i = 0; i < contacts.count; i++) work.active[i] = work.selected[i]
    joints.begin(state, dt)
    limits.begin(q)
    this.loops.begin(data, v)
    this.h[0] = dt
    this.tooLittle[0] = 1
    this.isCrowd = contacts.count > FEW_CONTACTS
    if (this.hold === SPRING) this.springs.begin(contacts, data, memory, work.selected)
    this.guess(step)

    let passes = 0
    let start = 0
    let settled = false
    while (!settled && passes - start < PASS_LIMIT) {
      // the first pass has those of the guess
      if (passes > 0) law.coefficients(contacts, memory, work)
      this.assemble(step)
      this.solve(model, v)
      this.holdStill(contacts, dt)
      if (this.isCrowd && passes >= STRICT_PASSES) this.slacken(contacts, passes)
      this.evaluate(contacts, dt)
      passes++
      settled = this.settle(contacts, dt, passes - start)
      if (!settled && passes === HELD_PASSES && this.regularise(step)) start = passes
    }
    if (!settled) {
      events.fallbacks++
      passes += this.giveWay(step)
    }
    events.iterations += passes

    if (this.hold === SPRING) this.rememberSprings(step)
    frame.finish(q, v, this.vNext, dt)
    const { impulse, count } = contacts
    for (let i = 0; i < 3 * count; i++) impulse[i] = dt * work.force[i]
    this.turning.report(contacts, rows, this.vNext, dt)
    this.patch?.report(contacts)
  }

  private reserve(capacity: number): void {
    if (!this.work.reserve(capacity)) return
    this.mode = new Uint8Array(capacity)
    this.holder = new Uint8Array(capacity)
    this.coefficient = new Float64Array(capacity)
    this.slip = new Float64Array(capacity)
    this.yields = new Float64Array(capacity)
    this.stiff = new Float64Array(capacity)
    this.stretch = new Float64Array(2 * capacity)
    this.verdict = new Uint8Array(capacity)
    this.tolerance = new Float64Array(capacity)
    this.normal = new Float64Array(capacity)
    this.load = new Float64Array(capacity)
    this.oldLoad = new Float64Array(capacity)
    this.oldMiss = new Float64Array(capacity)
    this.direction = new Float64Array(2 * capacity)
    this.speed = new Float64Array(capacity)
    this.constant = new Float64Array(3 * capacity)
    this.tangential = new Float64Array(3 * capacity)
    this.hB = new Float64Array(4 * capacity)
    this.uNext = new Float64Array(3 * capacity)
  }

  /** First guess of friction: contacts that slide at the start of the step go on sliding, under the normal force of that time. */
  private guess({ contacts, memory, events }: ContactStep): void {
    const { law, work, mode, holder, load, oldLoad, tolerance, hold, springs, stretch } = this
    const { selected, spring, damping, u } = work
    law.coefficients(contacts, memory, work)
    for (let i = 0; i < contacts.count; i++) {
      if (selected[i] === 0) continue
      load[i] = Math.max(spring[i] - damping[i] * u[3 * i], 0)
      oldLoad[i] = Number.NaN
      tolerance[i] = FORCE_TOLERANCE
      holder[i] = contacts.solvedStatic[i] !== 0 ? SYSTEM : hold
      stretch[2 * i] = 0
      stretch[2 * i + 1] = 0
      mode[i] = FRICTIONLESS
      if (holder[i] === SPRING) {
        if (springs.has[i] !== 0) this.stretchSpring(i, contacts)
        else holder[i] = DAMPER
      }
      if (hasFriction(contacts, i)) this.slideOrStick(i, contacts, u)
    }
    if (hold === SPRING && springs.left > 0) events.fallbacks++
  }

  /** Sliding along u if that is faster than the holding force yields to, sticking otherwise. */
  private slideOrStick(i: number, contacts: ContactSet, u: Float64Array): void {
    const { mode, holder, load, direction, speed, slip, coefficient, yields, stiff, stretch } = this
    const u1 = u[3 * i + 1]
    const u2 = u[3 * i + 2]
    slip[i] = Math.sqrt(u1 * u1 + u2 * u2)
    speed[i] = slip[i]
    yields[i] = this.stickSpeed
    let x = u1
    let y = u2
    if (holder[i] === SPRING) {
      x += stretch[2 * i]
      y += stretch[2 * i + 1]
      speed[i] = Math.sqrt(x * x + y * y)
      yields[i] = (contacts.muStatic[i] * load[i]) / stiff[i] // infinite where there is no stiffness, nor force
    } else if (holder[i] === SYSTEM) yields[i] = this.stickSpeedSolved
    if (speed[i] > yields[i]) {
      mode[i] = SLIDE
      direction[2 * i] = x / speed[i]
      direction[2 * i + 1] = y / speed[i]
      slidingFriction(coefficient, contacts, i, slip)
    } else this.stick(i, contacts)
  }

  private stick(i: number, { muStatic }: ContactSet): void {
    this.mode[i] = STICK
    this.speed[i] = this.stickSpeed
    this.coefficient[i] = muStatic[i]
  }

  /** Releases a contact whose holding force exceeds friction: it slides against that force. */
  private release(i: number, contacts: ContactSet): void {
    const { mode, load, normal, direction, speed, slip, coefficient, stretch, stickSpeed, uNext, work } = this
    const { force } = work
    mode[i] = SLIDE
    load[i] = Math.max(normal[i], 0)
    const f1 = force[3 * i + 1]
    const f2 = force[3 * i + 2]
    const holding = Math.sqrt(f1 * f1 + f2 * f2)
    direction[2 * i] = -f1 / holding
    direction[2 * i + 1] = -f2 / holding
    const u1 = uNext[3 * i + 1]
    const u2 = uNext[3 * i + 2]
    slip[i] = Math.sqrt(u1 * u1 + u2 * u2)
    const x = u1 + stretch[2 * i]
    const y = u2 + stretch[2 * i + 1]
    speed[i] = Math.max(Math.sqrt(x * x + y * y), stickSpeed)
    slidingFriction(coefficient, contacts, i, slip)
  }

  /** Turns the guess of a sliding contact to its direction of sliding in the last pass. */
  private slideOn(i: number, contacts: ContactSet): void {
    const { holder, direction, speed, slip, coefficient, stretch, stickSpeed, uNext } = this
    if (holder[i] === DAMPER) {
      this.slideOrStick(i, contacts, uNext)
      return
    }
    const u1 = uNext[3 * i + 1]
    const u2 = uNext[3 * i + 2]
    slip[i] = Math.sqrt(u1 * u1 + u2 * u2)
    slidingFriction(coefficient, contacts, i, slip)
    const x = u1 + stretch[2 * i]
    const y = u2 + stretch[2 * i + 1]
    const w = Math.sqrt(x * x + y * y)
    if (w < 1e-3 * stickSpeed) return // too slow to have a direction
    direction[2 * i] = x / w
    direction[2 * i + 1] = y / w
    speed[i] = w
  }

  /** b and k e / b of a contact on a spring, for the stiffness of the present pass. */
  private stretchSpring(i: number, { tangent1, tangent2 }: ContactSet): void {
    const { springs, stiff, stretch, h, work } = this
    const { extension: e, stiffness, damping } = springs
    springs.stiffen(i, work.slope, i)
    const n = 3 * i
    const k = stiffness[i]
    const b = damping[i] + h[0] * k
    const rate = b > 0 ? k / b : 0
    stiff[i] = b
    stretch[2 * i] = rate * (e[n] * tangent1[n] + e[n + 1] * tangent1[n + 1] + e[n + 2] * tangent1[n + 2])
    stretch[2 * i + 1] = rate * (e[n] * tangent2[n] + e[n + 1] * tangent2[n + 1] + e[n + 2] * tangent2[n + 2])
  }

  /** H = M + h D + h² K + h Σ Jᵀ B J, and the right-hand side h (tau - c + passive + Σ Jᵀ (f0 - B u)) in dv. */
  private assemble(step: ContactStep): void {
    const { data, contacts, tau, dt } = step
    const { v } = step.state
    const { H, dv, c, rows } = this
    const nv = dv.length
    rows.pattern.load(data.M, H)
    for (let k = 0; k < nv; k++) dv[k] = tau[k] - c[k]
    this.joints.add(H, dv, v, dt)
    this.limits.add(H, dv, v, dt)
    this.loops.add(H, dv, dt)

    this.linearise(contacts, dt)
    this.addContacts(contacts.count)
    this.turning.add(H, dv, rows, this.work.active, this.load, dt)
    for (let k = 0; k < nv; k++) dv[k] *= dt
  }

  /**
   * H += h Jᵀ B J and dv += Jᵀ constant of all contacts. The entries behind k in a contact's list of velocities, which is in the order of
   * elimination, lie in row k of H, as the factorisation needs them. Two rows at a time, so that J is read half as often.
   */
  private addContacts(count: number): void {
    const { H, hB, dv, constant, rows, work } = this
    const { active } = work
    const { J, first, size, velocities, entry } = rows
    const nv = dv.length
    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
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
        dv[k] += kn * fn + k1 * f1 + k2 * f2
        dv[l] += ln * fn + l1 * f1 + l2 * f2
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
      dv[k] += kn * fn + k1 * f1 + k2 * f2
      H[k * nv + k] += Bn * kn * kn + (B11 * k1 + B12 * k2) * k1 + (B12 * k1 + B22 * k2) * k2
    }
  }

  /** All forces, linearised at the present guess: `constant`, and B as `tangential` and `hB`. */
  private linearise(contacts: ContactSet, dt: number): void {
    const { count, viscous } = contacts
    const { mode, holder, load, direction, speed, coefficient, stiff, stretch, constant, tangential, hB, work } = this
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
      } else if (mode[i] === DRAG || (mode[i] === STICK && holder[i] === DAMPER)) b += strength / speed[i]
      else b = 0 // no friction, or its holding force is no damper
      if (holder[i] === SPRING && mode[i] !== DRAG) this.stretchSpring(i, contacts)
      const onSpring = mode[i] === STICK && holder[i] === SPRING ? stiff[i] : 0
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

  private solve(model: Model, v: Float64Array): void {
    const { H, dv, vNext, rows } = this
    const { pattern } = rows
    pattern.factorize(H)
    pattern.solve(H, dv)
    for (let k = 0; k < model.nv; k++) vNext[k] = v[k] + dv[k]
  }

  /** Forces on the contacts that stick by the linear system, and their change of the velocity at the end of the step. */
  private holdStill(contacts: ContactSet, dt: number): void {
    const { sticking, mode, holder, work, rows, H, vNext, uNext, constant } = this
    const { count, muStatic } = contacts
    sticking.clear(contacts.capacity)
    for (let i = 0; i < count; i++) {
      if (work.active[i] !== 0 && mode[i] === STICK && holder[i] === SYSTEM) sticking.add(i)
    }
    if (sticking.count === 0) return
    rows.velocity(uNext, vNext, count)
    sticking.solve(rows, H, uNext, muStatic, this.load)
    const { contact, x, change } = sticking
    for (let k = 0; k < vNext.length; k++) vNext[k] += change[k]
    for (let n = 0; n < sticking.count; n++) {
      constant[3 * contact[n] + 1] = x[2 * n] / dt
      constant[3 * contact[n] + 2] = x[2 * n + 1] / dt
    }
  }

  /**
   * Forces at the end of the step, and their verdict on each guess, for `settle`. Without branches: one that is taken for the first time
   * makes the engine discard the compiled function, and until this one is compiled anew every number in it would be boxed.
   */
  private evaluate(contacts: ContactSet, dt: number): void {
    const { rows, work, mode, holder, verdict, load, direction, coefficient, uNext, vNext, constant, tangential, normal } = this
    const { stiff, stretch, tolerance, tooLittle, speed, stickSpeed } = this
    const { selected, active, spring, slope, damping, u, force } = work
    const { count, viscous } = contacts
    const slowestDrag = stickSpeed * (1 + FORCE_TOLERANCE)
    rows.velocity(uNext, vNext, count)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      const u1 = uNext[n + 1]
      const u2 = uNext[n + 2]
      const fn = spring[i] - (damping[i] + dt * slope[i]) * uNext[n]
      const f1 = constant[n + 1] - tangential[n] * (u1 - u[n + 1]) - tangential[n + 1] * (u2 - u[n + 2])
      const f2 = constant[n + 2] - tangential[n + 1] * (u1 - u[n + 1]) - tangential[n + 2] * (u2 - u[n + 2])
      const slip = u1 * u1 + u2 * u2
      const dry = coefficient[i] * fn
      const error = tolerance[i]
      const shortage = error * tooLittle[0]
      const cone = (viscous[i] > 0 ? dry + viscous[i] * Math.sqrt(slip) * fn : dry) * (1 + error)
      const slowest = stickSpeed * (1 + error)
      const x = u1 + stretch[2 * i]
      const y = u2 + stretch[2 * i + 1]
      const held = stiff[i] * stiff[i] * (x * x + y * y)
      const least = dry * (1 - error)
      const excess = coefficient[i] * load[i] - dry
      const isSelected = selected[i] !== 0
      const isActive = isSelected && active[i] !== 0
      const sticks = mode[i] === STICK
      const slides = mode[i] === SLIDE
      const isSpring = holder[i] === SPRING
      const pushes = fn > 0
      const pulls = fn < 0
      const leavesCone = f1 * f1 + f2 * f2 > cone * cone
      const slips = holder[i] === DAMPER ? slip > slowest * slowest : leavesCone
      const back = x * direction[2 * i] + y * direction[2 * i + 1]
      const turnsRound = back < (holder[i] === SYSTEM ? -HELD_STILL : 0) || (isSpring && held < least * least)
      // a released contact started against the force that held it, and may slide another way
      const power = f1 * u1 + f2 * u2
      const strays =
        holder[i] === SYSTEM && slip > HELD_STILL * HELD_STILL && power * power < STRAIGHT * (f1 * f1 + f2 * f2) * slip
      const misses = strays || excess > error * dry || -excess > shortage * dry
      // a damper computed for a faster slip than the resulting one
      const made = speed[i] / (1 + shortage)
      const isDragged = mode[i] === DRAG
      const lags = made * made > slip && made > slowestDrag

      normal[i] = fn
      force[n] = isActive ? fn : 0
      force[n + 1] = isActive ? f1 : 0
      force[n + 2] = isActive ? f2 : 0
      let says = HOLDS
      if (isSelected && !isActive) says = pushes ? PUSHES : HOLDS
      else if (isActive && pulls) says = PULLS
      else if (isActive && sticks) says = slips ? SLIPS : leavesCone ? MISSES : HOLDS
      else if (isActive && slides) says = turnsRound ? TURNS_ROUND : leavesCone || misses ? MISSES : HOLDS
      else if (isActive && isDragged) says = leavesCone || lags ? MISSES : HOLDS
      verdict[i] = says
    }
  }

  /** True if every guess held; where one did not, it is changed. */
  private settle(contacts: ContactSet, dt: number, pass: number): boolean {
    const { verdict, joints, limits, vNext } = this
    let settled = true
    for (let i = 0; i < contacts.count; i++) {
      if (verdict[i] === HOLDS) continue
      if (verdict[i] === PUSHES && pass >= RETURN_PASSES) continue
      if (this.isCrowd && pass >= DRAG_PASSES && this.isUndecided(i, pass)) this.drag(i, contacts)
      else this.guessAgain(i, contacts)
      settled = false
    }
    if (joints.settle(vNext)) settled = false
    if (limits.settle(vNext, dt)) settled = false
    return settled
  }

  /**
   * Dampers in place of the linear system, which may cycle between holding and releasing points of a body: all guesses are made anew. False
   * if the system held none.
   */
  private regularise({ contacts, events }: ContactStep): boolean {
    const { holder, load, oldLoad, normal, uNext, work } = this
    const { selected, active } = work
    let held = 0
    for (let i = 0; i < contacts.count; i++) if (selected[i] !== 0 && holder[i] === SYSTEM && hasFriction(contacts, i)) held++
    if (held === 0) return false
    for (let i = 0; i < contacts.count; i++) {
      if (selected[i] === 0) continue
      active[i] = 1
      load[i] = Math.max(normal[i], 0)
      oldLoad[i] = Number.NaN
      if (holder[i] === SYSTEM) holder[i] = DAMPER
      if (hasFriction(contacts, i)) this.slideOrStick(i, contacts, uNext)
    }
    events.fallbacks++
    return true
  }

  private guessAgain(i: number, contacts: ContactSet): void {
    const { mode, holder, verdict, normal, load, oldLoad, uNext, work } = this
    switch (verdict[i]) {
      case PUSHES: // it was released too early
        work.active[i] = 1
        load[i] = normal[i]
        oldLoad[i] = Number.NaN
        if (mode[i] !== FRICTIONLESS) this.slideOrStick(i, contacts, uNext)
        break
      case PULLS: // perhaps friction of too great a load lifts it: release only if it lifts without friction too
        if (mode[i] !== FRICTIONLESS && load[i] > 0 && !(mode[i] === STICK && holder[i] !== DAMPER)) this.renewLoad(i)
        else work.active[i] = 0
        break
      case TURNS_ROUND: // friction stops a contact, it does not turn it round
        this.stick(i, contacts)
        this.renewLoad(i)
        break
      case SLIPS:
        if (holder[i] === DAMPER) {
          this.renewLoad(i)
          this.slideOrStick(i, contacts, uNext)
        } else this.release(i, contacts)
        break
      case MISSES:
        this.renewLoad(i)
        if (mode[i] === SLIDE) this.slideOn(i, contacts)
    }
  }

  /**
   * Raises the tolerance of friction with the number of passes: each of hundreds of contacts changes the load of all others, and the error
   * left at one is soon less than that of regularised friction. `normal` and `active` are those of the pass before.
   */
  private slacken({ count, bodyA, bodyB }: ContactSet, passes: number): void {
    const { greatest, normal, tolerance, tooLittle, work } = this
    const { active } = work
    let error = FORCE_TOLERANCE
    for (let k = STRICT_PASSES; k < passes && error < GREATEST_TOLERANCE; k++) error *= 4
    if (error > GREATEST_TOLERANCE) error = GREATEST_TOLERANCE
    if (passes >= FALLING_PASSES) tooLittle[0] = Infinity
    for (let i = 0; i < count; i++) {
      greatest[bodyA[i]] = 0
      greatest[bodyB[i]] = 0
    }
    for (let i = 0; i < count; i++) {
      if (active[i] === 0) continue
      if (normal[i] > greatest[bodyA[i]]) greatest[bodyA[i]] = normal[i]
      if (normal[i] > greatest[bodyB[i]]) greatest[bodyB[i]] = normal[i]
    }
    greatest[0] = 0 // the world carries all loads
    for (let i = 0; i < count; i++) {
      const a = greatest[bodyA[i]]
      const b = greatest[bodyB[i]]
      const small = SMALL_SHARE * (a > b ? a : b)
      tolerance[i] = normal[i] > 0 && normal[i] < small ? (error * small) / normal[i] : error
    }
  }

  /** Whether contact i alternates between sticking and sliding, does not converge otherwise, or is a damper in error. */
  private isUndecided(i: number, pass: number): boolean {
    const { mode, holder, verdict } = this
    if (mode[i] === DRAG) return verdict[i] === MISSES
    const turns = verdict[i] === SLIPS || verdict[i] === TURNS_ROUND
    return holder[i] === DAMPER && (turns || (verdict[i] === MISSES && pass >= FALLING_PASSES))
  }

  /**
   * Makes friction a plain damper, mu F / |v_t| with the slip of the last pass or the stick speed. Where that slip results again it is
   * regularised friction, and the passes converge to it without a kink (Kacanov's method).
   */
  private drag(i: number, contacts: ContactSet): void {
    const { mode, load, normal, speed, slip, coefficient, stickSpeed, tooLittle, uNext, work } = this
    const { force } = work
    const u1 = uNext[3 * i + 1]
    const u2 = uNext[3 * i + 2]
    slip[i] = Math.sqrt(u1 * u1 + u2 * u2)
    let next = slip[i]
    let slowest = stickSpeed
    if (mode[i] === DRAG) {
      // a contact beyond the cone by some part slides faster by several times that part, and would take as many passes
      const cone = coefficient[i] * normal[i]
      const f1 = force[3 * i + 1]
      const f2 = force[3 * i + 2]
      const beyond = Math.sqrt(f1 * f1 + f2 * f2)
      if (beyond > cone) next *= beyond < 2 * cone ? (beyond / cone) * (beyond / cone) * (beyond / cone) : 8
      if (tooLittle[0] > 1) slowest = speed[i]
    }
    mode[i] = DRAG
    speed[i] = next > slowest ? next : slowest
    if (tooLittle[0] === 1 || normal[i] < load[i]) load[i] = Math.max(normal[i], 0)
    slidingFriction(coefficient, contacts, i, slip)
  }

  /**
   * Next load of friction: the normal force that resulted from the present one, or, where that misses again, the secant through the two,
   * for friction may act back on the normal force more than one to one. In a crowd only where it misses by more than before: else the
   * secant would attribute the other contacts' effect on this load to its own friction.
   */
  private renewLoad(i: number): void {
    const { normal: normals, load, oldLoad, oldMiss } = this
    const normal = normals[i]
    const miss = normal - load[i]
    let next = normal
    const isStubborn = !this.isCrowd || Math.abs(miss) > Math.abs(oldMiss[i])
    if (isStubborn && oldLoad[i] !== load[i] && oldMiss[i] !== miss && !Number.isNaN(oldLoad[i])) {
      const secant = load[i] - (miss * (load[i] - oldLoad[i])) / (miss - oldMiss[i])
      if (secant >= 0 && secant < 10 * (normal + load[i] + oldLoad[i])) next = secant
    }
    if (this.tooLittle[0] > 1 && next > load[i]) next = load[i]
    oldLoad[i] = load[i]
    oldMiss[i] = miss
    load[i] = Math.max(next, 0)
  }

  /**
   * Fallback where no guesses are consistent: friction becomes a plain damper, mu F / |v_t| of the last pass; then pulling contacts are
   * released and friction that leaves its cone is dropped, both for the rest of the step, so that this terminates. All of it stays implicit
   * and dissipates energy. The last pass's forces, clipped and applied as constants, would not do: many points balance one another on a
   * light foot, and the residual of clipping throws it. (A humanoid of 180 kg that fell at steps of 10 ms had its ankles accelerated from
   * 49 to 265 rad/s in one step, and soon without bound.)
   *
   * @returns passes taken
   */
  private giveWay(step: ContactStep): number {
    const { model, state, contacts, memory, dt } = step
    const { law, work, mode, normal, load, speed, slip, coefficient, stretch, stickSpeed, uNext, limits, vNext } = this
    const { selected, active, force } = work
    const { count } = contacts
    for (let i = 0; i < count; i++) {
      active[i] = selected[i]
      if (selected[i] === 0) continue
      load[i] = Math.max(normal[i], 0)
      mode[i] = hasFriction(contacts, i) ? DRAG : FRICTIONLESS
      slip[i] = Math.hypot(uNext[3 * i + 1], uNext[3 * i + 2])
      speed[i] = Math.max(slip[i], stickSpeed)
      slidingFriction(coefficient, contacts, i, slip)
      stretch[2 * i] = 0
      stretch[2 * i + 1] = 0
    }
    for (let passes = 1; ; passes++) {
      law.coefficients(contacts, memory, work)
      this.assemble(step)
      this.solve(model, state.v)
      this.evaluate(contacts, dt)
      let settled = !limits.settle(vNext, dt)
      for (let i = 0; i < count; i++) {
        if (active[i] === 0) continue
        const n = 3 * i
        if (force[n] < 0) active[i] = 0
        else if (mode[i] === DRAG && this.leavesCone(i, contacts)) mode[i] = FRICTIONLESS
        else continue
        settled = false
      }
      if (settled) return passes
    }
  }

  private leavesCone(i: number, { viscous }: ContactSet): boolean {
    const { coefficient, uNext, work } = this
    const { force } = work
    const slip = Math.hypot(uNext[3 * i + 1], uNext[3 * i + 2])
    const cone = (coefficient[i] + viscous[i] * slip) * force[3 * i]
    return Math.hypot(force[3 * i + 1], force[3 * i + 2]) > cone * (1 + FORCE_TOLERANCE)
  }

  /** Stores each spring: stretched as its contact moved, or, if it slips, as far as friction can stretch it at the end of the step. */
  private rememberSprings({ contacts, data, memory, dt }: ContactStep): void {
    const { springs, mode, holder, work, uNext, load } = this
    const { active, force } = work
    const { count, tangent1, tangent2, viscous } = contacts
    const { extension: e, stiffness } = springs
    springs.clear(memory)
    for (let i = 0; i < count; i++) {
      const n = 3 * i
      if (active[i] === 0 || holder[i] !== SPRING || !(force[n] > 0) || !(stiffness[i] > 0)) continue
      if (mode[i] !== STICK) {
        const thick = viscous[i] * load[i]
        const e1 = -(force[n + 1] + thick * uNext[n + 1]) / stiffness[i] - dt * uNext[n + 1]
        const e2 = -(force[n + 2] + thick * uNext[n + 2]) / stiffness[i] - dt * uNext[n + 2]
        for (let d = 0; d < 3; d++) e[n + d] = e1 * tangent1[n + d] + e2 * tangent2[n + d]
      }
      springs.keep(contacts, data, memory, i)
    }
  }
}
