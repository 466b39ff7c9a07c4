import type { ContactModelContext } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { weightPerMass } from './physicalGains.ts'

/** Time, in units of sqrt(allowedPenetration / g), in which a pair's load rises to the weight of its island. */
const RISE = 1
/**
 * Time in contact before a pair's force counts, and the averaging time after it, in units of sqrt(allowedPenetration / g). A free impact on
 * the pair's springs ends within π of these units, so it cannot stiffen them.
 */
const DELAY = 5
const MEAN = 10

/** A force within 5 % of the weight does not count: the load L = 1.05 F - 0.1 W, at least W, is F to 5 %, or more. */
const GAIN = 1.05
const MARGIN = 0.1
/** Upper bound of L, in weights of the island: jammed bodies push harder the stiffer their springs are. */
const MOST = 1000

/**
 * Load L that sets the stiffness of each pair of shapes, K = L / d0, so that it penetrates by no more than the allowed d0 at rest. It is
 * the greater of two:
 *
 * - The weight W of its island, the trees connected by contacts (fixed and prescribed bodies connect none): all of it may come to rest on
 *   the pair, like 50 kg on a crate of 1 kg. W is the initial load of a pair. If its island grows, the load W_L follows
 *   W_L' = min(1, (d0 / d)²) (W - W_L) / T, T = sqrt(d0 / g), so that the springs under a light body are stiff before it has sunk,
 *   and their energy K d² / 2 grows in T by at most W d0 / 2, their energy at rest, at any depth from an impact.
 *   If its island shrinks, W_L falls ten times as slowly.
 * - The average normal force on the pair, as between squeezing fingers: F' = (f - F) / T with T = 10 sqrt(d0 / g), once
 *   the pair has been in contact for 5 sqrt(d0 / g); 0.1 s and 50 ms with 1 mm. That is slow compared with the springs, which by inertia
 *   carry at most W at rest, and a free impact ends before it begins: no rebound gains energy from it.
 *
 * Where springs resolve impacts, light bodies between heavy ones, and what is jammed, are in contact for longer. There the average may stiffen a
 * spring only by the energy that the pair's dampers have taken before. A pair pressed by a constant force has it: half of the work of pressing
 * is taken, half stored, and F² / (2 K) is the most that stiffening costs. Without gravity, where no weight comes to rest, the same holds of an
 * island that grows.
 *
 * The memory holds three numbers a pair, W_L and F [N] and the time in contact [s], forgotten when the pair separates, behind them the list of
 * the pairs in contact, and where springs resolve impacts the energy taken by each pair's dampers [J].
 */
export class PairLoads {
  readonly memorySize: number
  /** Index of this part in the model's memory. */
  readonly offset: number
  private readonly list: number
  private readonly perMass: number
  private readonly treeOf: Int32Array
  private readonly weight: Float64Array
  /** Per tree: the next tree of its island, itself for the root; and per root the island's weight [N]. */
  private readonly parent: Int32Array
  private readonly island: Float64Array
  /** Per pair: 1 if it touches, 0 between steps; the weight W of its island [N]; and the impulse of the step [N s]. */
  private readonly touches: Uint8Array
  private readonly least: Float64Array
  private readonly impulse: Float64Array
  private readonly touching: Int32Array
  private count = 0
  /** Per pair: its largest depth at the start of the step, 0 between steps [m]. */
  private readonly depth: Float64Array
  /** Per pair, where springs resolve impacts: power of its dampers in the step [W]; and index of their energy in the memory. */
  private readonly power: Float64Array
  private readonly taken: number
  private readonly isWeightless: boolean
  /** 1: increase of the current pair's load [N]. */
  private readonly rise = new Float64Array(1)
  /**
   * 7: time step and delay [s], the fractions by which a step makes slow and fast changes of L, d0 [m]; n, and 1 / (d0ⁿ (n + 1)) of forces
   * L (d / d0)ⁿ.
   */
  private readonly time: Float64Array

  /**
   * @param offset   index of the loads' part in the model's memory
   * @param exponent n, where springs resolve impacts; they must `take` the energy of dampers
   */
  constructor({ physical, trees, gravity, pairCount, dt }: ContactModelContext, offset: number, exponent?: number) {
    const perMass = weightPerMass(gravity)
    const unit = Math.sqrt(physical.allowedPenetration / perMass)
    this.offset = offset
    this.perMass = perMass
    this.taken = offset + 4 * pairCount + 1
    this.memorySize = (exponent === undefined ? 4 : 5) * pairCount + 1
    this.power = new Float64Array(exponent === undefined ? 0 : pairCount)
    this.isWeightless = exponent !== undefined && !(gravity > 0)
    this.list = offset + 3 * pairCount
    this.treeOf = trees.treeOf
    this.weight = trees.mass.map((mass) => mass * perMass)
    this.parent = new Int32Array(trees.mass.length)
    this.island = new Float64Array(trees.mass.length)
    this.touches = new Uint8Array(pairCount)
    this.least = new Float64Array(pairCount)
    this.impulse = new Float64Array(pairCount)
    this.touching = new Int32Array(pairCount)
    this.depth = new Float64Array(pairCount)
    const part = (time: number) => dt / (time * unit + dt)
    const d0 = physical.allowedPenetration
    const n = exponent ?? 1
    this.time = Float64Array.of(dt, DELAY * unit, part(MEAN), part(RISE), d0, n, 1 / (d0 * lessOnePower(d0, n) * (n + 1)))
  }

  /** Updates, at the start of a step, the pairs in contact. */
  begin(contacts: ContactSet, memory: Float64Array): void {
    const { count, pair, gap, bodyA, bodyB } = contacts
    const { offset, list, touches, touching, treeOf, least, island, weight, depth } = this
    this.joinTrees(contacts)
    let now = 0
    for (let i = 0; i < count; i++) {
      const p = pair[i]
      if (!(gap[i] < 0)) continue
      if (-gap[i] > depth[p]) depth[p] = -gap[i]
      if (touches[p] !== 0) continue
      touches[p] = 1
      touching[now++] = p
      const a = treeOf[bodyA[i]]
      const b = treeOf[bodyB[i]]
      least[p] = island[this.root(a < 0 || !(weight[a] > 0) ? b : a)]
    }
    const before = memory[list]
    for (let k = 1; k <= before; k++) {
      const p = memory[list + k]
      if (touches[p] !== 0) continue
      memory[offset + 3 * p] = 0
      memory[offset + 3 * p + 1] = 0
      memory[offset + 3 * p + 2] = 0
      if (this.power.length > 0) memory[this.taken + p] = 0
    }
    for (let k = 0; k < now; k++) {
      const p = touching[k]
      if (memory[offset + 3 * p] === 0) memory[offset + 3 * p] = least[p]
      memory[list + 1 + k] = p
      touches[p] = 0
    }
    for (let k = now; k < before; k++) memory[list + 1 + k] = 0
    memory[list] = now
    this.count = now
  }

  /** Sets the power of dampers with these coefficients [N s/m] at the normal velocities u[3 i] of the active contacts. */
  take({ count, pair }: ContactSet, active: Uint8Array, damping: Float64Array, u: Float64Array): void {
    const { power } = this
    if (power.length === 0) return
    for (let i = 0; i < count; i++) power[pair[i]] = 0
    for (let i = 0; i < count; i++) if (active[i] !== 0) power[pair[i]] += damping[i] * u[3 * i] * u[3 * i]
  }

  /** Updates F at the end of a step from the impulses of the contacts. */
  end(contacts: ContactSet, memory: Float64Array): void {
    const { offset, touching, least, impulse, time, depth } = this
    for (let k = 0; k < this.count; k++) impulse[touching[k]] = 0
    for (let i = 0; i < contacts.count; i++) impulse[contacts.pair[i]] += contacts.impulse[3 * i]
    for (let k = 0; k < this.count; k++) {
      const p = touching[k]
      const at = offset + 3 * p
      const shallow = time[4] / depth[p]
      const grows = memory[at] < least[p]
      const rise = time[3] * (shallow < 1 ? shallow * shallow : 1)
      this.rise[0] = (grows ? rise : time[2]) * (least[p] - memory[at])
      if (this.power.length > 0) memory[this.taken + p] += time[0] * this.power[p]
      if (grows && this.isWeightless) this.spend(memory, p)
      memory[at] += this.rise[0]
      memory[at + 2] += time[0]
      if (memory[at + 2] >= time[1]) {
        this.rise[0] = time[2] * (impulse[p] / time[0] - memory[at + 1])
        if (this.power.length > 0 && GAIN * (memory[at + 1] + this.rise[0]) > (1 + MARGIN) * memory[at]) this.spend(memory, p)
        memory[at + 1] += this.rise[0]
      }
      depth[p] = 0
    }
  }

  /** Limits `rise`, of a pair's load, to the energy that its dampers have taken, and spends that. */
  private spend(memory: Float64Array, p: number): void {
    const { time, depth, taken, rise } = this
    const cost = GAIN * rise[0] * time[6] * depth[p] * depth[p] * lessOnePower(depth[p], time[5])
    if (!(cost > 0)) return
    if (cost > memory[taken + p]) rise[0] *= memory[taken + p] / cost
    memory[taken + p] -= Math.min(cost, memory[taken + p])
  }

  /** out[at] = L of a pair [N], 0 if it has none yet. */
  write(out: Float64Array, at: number, memory: Float64Array, pair: number): void {
    const weight = memory[this.offset + 3 * pair]
    const load = GAIN * memory[this.offset + 3 * pair + 1] - MARGIN * weight
    const most = MOST * weight
    out[at] = load < weight ? weight : load > most ? most : load
  }

  /** out[0] = the mass carried by a pair, F / g, up to the island's mass, if that is greater than its present value [kg]. */
  writeMass(out: Float64Array, memory: Float64Array, pair: number): void {
    const at = this.offset + 3 * pair
    const force = memory[at + 1] < memory[at] ? memory[at + 1] : memory[at]
    if (force > this.perMass * out[0]) out[0] = force / this.perMass
  }

  /** Joins trees to islands by their contacts. */
  private joinTrees({ count, gap, bodyA, bodyB }: ContactSet): void {
    const { parent, island, weight, treeOf } = this
    for (let t = 0; t < parent.length; t++) {
      parent[t] = t
      island[t] = weight[t]
    }
    for (let i = 0; i < count; i++) {
      if (!(gap[i] < 0)) continue
      const a = treeOf[bodyA[i]]
      const b = treeOf[bodyB[i]]
      if (a < 0 || b < 0 || a === b || !(weight[a] > 0 && weight[b] > 0)) continue
      const ra = this.root(a)
      const rb = this.root(b)
      if (ra === rb) continue
      const low = ra < rb ? ra : rb
      const high = ra < rb ? rb : ra
      parent[high] = low
      island[low] += island[high]
    }
  }

  private root(tree: number): number {
    const { parent } = this
    let t = tree
    while (parent[t] !== t) {
      parent[t] = parent[parent[t]]
      t = parent[t]
    }
    return t
  }
}

/** d^(n-1) */
export const lessOnePower = (d: number, n: number): number =>
  n === 1.5 ? Math.sqrt(d) : n === 1 ? 1 : Math.exp((n - 1) * Math.log(d))
