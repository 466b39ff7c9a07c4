import type { ContactRows } from '../contactRows.ts'

/**
 * The rows of one island, Y = L⁻ᵀ Jᵀ, and their products: W = J M~⁻¹ Jᵀ = Y Yᵀ; impulses p change velocities by L⁻¹ Σ Y p. M~ = Lᵀ L.
 * Ruspini and Khatib's way to the contact matrix, with the sparsity of the tree: a row is not 0 on the way from its bodies to
 * their roots alone, or on what couplings fill in. Of a row only these entries are kept, the root's first; so two rows meet in
 * their first entries, as far as their ways have the same velocities, and a product is one of two short vectors.
 *
 * Rows are added in blocks that have one way: those of a contact, or one of a joint or a loop.
 */
export class RowMatrix {
  rowCount = 0
  /** rowCount x rowCount; `multiply` fills it. */
  W = new Float64Array(0)
  private readonly rows: ContactRows
  readonly nv: number
  /** Row r starts at r nv. */
  Y = new Float64Array(0)
  /** 3 nv: rows by velocity, where couplings fill in. */
  private readonly dense: Float64Array

  blockCount = 0
  /** Per block: its first row, its number of rows, and its way. */
  blockRow = new Int32Array(0)
  blockWidth = new Int32Array(0)
  blockWay = new Int32Array(0)

  // Ways that occur, each from the root out. They are kept from step to step while no coupling makes new ones.
  private wayCount = 0
  private isCoupled = false
  /** nv: the way that ends at a velocity, as far as `wayEnd` confirms it; and per way its end, its length, and whether `triangle` is up to date. */
  private readonly wayOfV: Int32Array
  private readonly wayEnd: Int32Array
  readonly wayLength: Int32Array
  private readonly isLoaded: Uint8Array
  /** Per way: 1 if couplings fill in on it; the rows of others have the bits that they have where nothing is coupled. */
  private readonly isFilled: Uint8Array
  /** Where its velocities start in `way`; and where in `triangle` the entries of L among them, row by row, with 1 / L on the diagonal. */
  readonly wayStart: Int32Array
  private readonly triangleStart: Int32Array
  way = new Int32Array(0)
  private triangle = new Float64Array(0)
  /** wayCount x wayCount, of stride nv: how many velocities two ways have in common. */
  private common = new Int32Array(0)

  constructor(rows: ContactRows, nv: number) {
    this.rows = rows
    this.nv = nv
    this.dense = new Float64Array(3 * nv)
    this.wayOfV = new Int32Array(nv)
    this.wayEnd = new Int32Array(nv)
    this.wayLength = new Int32Array(nv)
    this.isLoaded = new Uint8Array(nv)
    this.isFilled = new Uint8Array(nv)
    this.wayStart = new Int32Array(nv + 1)
    this.triangleStart = new Int32Array(nv + 1)
  }

  /** A new factor L, and perhaps new couplings. */
  beginStep(): void {
    const isCoupled = this.rows.pattern.coupledCount > 0
    if (isCoupled || this.isCoupled) this.wayCount = 0
    this.isCoupled = isCoupled
    this.isLoaded.fill(0, 0, this.wayCount)
  }

  /** Starts an island of so many rows. Forgets the last one. */
  begin(rowCount: number): void {
    this.rowCount = rowCount
    this.blockCount = 0
    if (rowCount <= this.blockRow.length) return
    const capacity = 2 * rowCount
    this.Y = new Float64Array(capacity * this.nv)
    this.W = new Float64Array(capacity * capacity)
    this.blockRow = new Int32Array(capacity)
    this.blockWidth = new Int32Array(capacity)
    this.blockWay = new Int32Array(capacity)
  }

  /**
   * Adds the rows of a contact: those at J[at], J[at + nv] and J[at + 2 nv], of which the latter two are turned, or the first alone.
   *
   * @param turn 2 a contact: cosine and sine
   */
  addContact(row: number, width: number, contact: number, turn: Float64Array, L: Float64Array): void {
    const { nv, rows } = this
    const { J, velocities, first, size, entry } = rows
    const from = velocities[first[contact]]
    const way = this.open(row, width, from, L)
    const isFilled = this.isFilled[way] !== 0
    if (isFilled) this.clearDense(way)
    const out = isFilled ? this.dense : this.Y
    const start = isFilled ? 0 : row * nv
    const length = size[contact]
    const cosine = turn[2 * contact]
    const sine = turn[2 * contact + 1]
    for (let a = 0; a < length; a++) {
      const k = velocities[first[contact] + a]
      const to = start + (isFilled ? k : length - 1 - a)
      const e = 3 * (entry[contact] + a)
      out[to] = J[e]
      if (width === 1) continue
      const t1 = J[e + 1]
      const t2 = J[e + 2]
      out[to + nv] = cosine * t1 + sine * t2
      out[to + 2 * nv] = cosine * t2 - sine * t1
    }
    this.close(row, width, way, L, isFilled)
  }

  /** Adds the row that takes velocity k with a sign. */
  addJoint(row: number, k: number, sign: Int8Array, index: number, L: Float64Array): void {
    const way = this.open(row, 1, k, L)
    const length = this.wayLength[way]
    const isFilled = this.isFilled[way] !== 0
    if (isFilled) {
      this.clearDense(way)
      this.dense[k] = sign[index]
    } else {
      for (let a = 0; a < length - 1; a++) this.Y[row * this.nv + a] = 0
      this.Y[row * this.nv + length - 1] = sign[index]
    }
    this.close(row, 1, way, L, isFilled)
  }

  /** Adds the row at J[at..], not 0 at velocities[first..end - 1]. */
  addRow(row: number, J: Float64Array, at: number, velocities: Int32Array, first: number, end: number, L: Float64Array): void {
    const way = this.open(row, 1, velocities[first], L)
    this.clearDense(way)
    for (let a = first; a < end; a++) this.dense[velocities[a]] = J[at + velocities[a]]
    this.close(row, 1, way, L, true)
  }

  private clearDense(way: number): void {
    const { dense, nv } = this
    for (let a = 0; a < this.wayLength[way]; a++) {
      const k = this.way[this.wayStart[way] + a]
      dense[k] = 0
      dense[nv + k] = 0
      dense[2 * nv + k] = 0
    }
  }

  /** Notes a block whose way ends at velocity `from`. @returns the way */
  private open(row: number, width: number, from: number, L: Float64Array): number {
    const { wayOfV, wayEnd, wayCount } = this
    let way = wayOfV[from]
    if (way >= wayCount || wayEnd[way] !== from) way = this.addWay(from)
    if (this.isLoaded[way] === 0) this.load(way, L)
    const block = this.blockCount++
    this.blockRow[block] = row
    this.blockWidth[block] = width
    this.blockWay[block] = way
    return way
  }

  private addWay(from: number): number {
    const { nv, wayOfV, wayEnd, wayLength, wayStart, triangleStart } = this
    const { pattern } = this.rows
    const { next } = pattern
    const index = this.wayCount++
    let length = 0
    for (let k = from; k >= 0; k = next[k]) length++
    wayOfV[from] = index
    wayEnd[index] = from
    wayLength[index] = length
    const at = wayStart[index]
    wayStart[index + 1] = at + length
    // where couplings fill in, rows are solved for by the pattern itself
    this.isFilled[index] = pattern.couples(from) ? 1 : 0
    triangleStart[index + 1] = triangleStart[index] + (this.isFilled[index] !== 0 ? 0 : length * length)
    this.isLoaded[index] = 0
    this.reserveWays(wayStart[index + 1], triangleStart[index + 1], this.wayCount * nv)
    const { way, common } = this
    for (let k = from, a = at + length - 1; k >= 0; k = next[k], a--) way[a] = k
    for (let other = 0; other <= index; other++) {
      const most = Math.min(length, wayLength[other])
      let same = 0
      while (same < most && way[at + same] === way[wayStart[other] + same]) same++
      common[index * nv + other] = same
      common[other * nv + index] = same
    }
    return index
  }

  private reserveWays(velocities: number, entries: number, pairs: number): void {
    if (velocities > this.way.length) {
      const way = new Int32Array(2 * velocities)
      way.set(this.way)
      this.way = way
    }
    if (entries > this.triangle.length) {
      const triangle = new Float64Array(2 * entries)
      triangle.set(this.triangle)
      this.triangle = triangle
    }
    if (pairs > this.common.length) {
      const common = new Int32Array(2 * pairs)
      common.set(this.common)
      this.common = common
    }
  }

  /** The entries of L on a way. */
  private load(index: number, L: Float64Array): void {
    const { way, triangle, wayLength, wayStart, triangleStart, nv } = this
    this.isLoaded[index] = 1
    if (this.isFilled[index] !== 0) return
    const length = wayLength[index]
    const at = wayStart[index]
    for (let a = 0; a < length; a++) {
      const row = way[at + a] * nv
      const to = triangleStart[index] + a * length
      for (let b = 0; b < a; b++) triangle[to + b] = L[row + way[at + b]]
      triangle[to + a] = 1 / L[row + way[at + a]]
    }
  }

  /** Solves for the rows of the last block. */
  private close(row: number, width: number, way: number, L: Float64Array, isDense: boolean): void {
    const { Y, dense, nv, rows } = this
    const length = this.wayLength[way]
    if (isDense) {
      const from = this.wayEnd[way]
      for (let r = 0; r < width; r++) {
        rows.pattern.solveLTransposedOnPath(L, from, dense, r * nv)
        for (let a = 0; a < length; a++) Y[(row + r) * nv + a] = dense[r * nv + this.way[this.wayStart[way] + a]]
      }
    } else if (width === 3) this.solveThree(row * nv, way)
    else this.solveOne(row * nv, way)
  }

  /** Fills W. */
  multiply(): void {
    const { blockCount } = this
    for (let block = 0; block < blockCount; block++) for (let other = 0; other <= block; other++) this.multiplyTwo(block, other)
  }

  /** out[r] := W of row r with itself. */
  private square(out: Float64Array, r: number, length: number): void {
    const { Y, nv } = this
    let sum = 0
    for (let a = 0; a < length; a++) sum += Y[r * nv + a] * Y[r * nv + a]
    out[r] = sum
  }

  /** out := the diagonal of W. */
  diagonal(out: Float64Array): void {
    const { blockCount, blockRow, blockWidth, blockWay, wayLength } = this
    for (let block = 0; block < blockCount; block++) {
      for (let r = 0; r < blockWidth[block]; r++) this.square(out, blockRow[block] + r, wayLength[blockWay[block]])
    }
  }

  private solveOne(y: number, way: number): void {
    const { Y, triangle } = this
    const length = this.wayLength[way]
    for (let a = length - 1; a >= 0; a--) {
      const l = this.triangleStart[way] + a * length
      const value = Y[y + a] * triangle[l + a]
      Y[y + a] = value
      for (let b = 0; b < a; b++) Y[y + b] -= triangle[l + b] * value
    }
  }

  private solveThree(y: number, way: number): void {
    const { Y, triangle, nv } = this
    const y1 = y + nv
    const y2 = y1 + nv
    const length = this.wayLength[way]
    for (let a = length - 1; a >= 0; a--) {
      const l = this.triangleStart[way] + a * length
      const v0 = Y[y + a] * triangle[l + a]
      const v1 = Y[y1 + a] * triangle[l + a]
      const v2 = Y[y2 + a] * triangle[l + a]
      Y[y + a] = v0
      Y[y1 + a] = v1
      Y[y2 + a] = v2
      for (let b = 0; b < a; b++) {
        const entry = triangle[l + b]
        Y[y + b] -= entry * v0
        Y[y1 + b] -= entry * v1
        Y[y2 + b] -= entry * v2
      }
    }
  }

  /** The entries of W where the rows of two blocks meet. */
  private multiplyTwo(block: number, second: number): void {
    const { Y, W, nv, rowCount, blockRow, blockWidth } = this
    const row = blockRow[block]
    const other = blockRow[second]
    const length = this.common[this.blockWay[block] * nv + this.blockWay[second]]
    if (blockWidth[block] === 3 && blockWidth[second] === 3) {
      this.multiplyThree(row, other, length)
      return
    }
    for (let r = row; r < row + blockWidth[block]; r++) {
      for (let s = other; s < other + blockWidth[second]; s++) {
        let sum = 0
        for (let a = 0; a < length; a++) sum += Y[r * nv + a] * Y[s * nv + a]
        W[r * rowCount + s] = sum
        W[s * rowCount + r] = sum
      }
    }
  }

  private multiplyThree(row: number, other: number, length: number): void {
    const { Y, W, nv, rowCount: n } = this
    const x0 = row * nv
    const x1 = x0 + nv
    const x2 = x1 + nv
    const y0 = other * nv
    const y1 = y0 + nv
    const y2 = y1 + nv
    let w00 = 0
    let w01 = 0
    let w02 = 0
    let w10 = 0
    let w11 = 0
    let w12 = 0
    let w20 = 0
    let w21 = 0
    let w22 = 0
    for (let a = 0; a < length; a++) {
      const p = Y[x0 + a]
      const q = Y[x1 + a]
      const r = Y[x2 + a]
      const s = Y[y0 + a]
      const t = Y[y1 + a]
      const u = Y[y2 + a]
      w00 += p * s
      w01 += p * t
      w02 += p * u
      w10 += q * s
      w11 += q * t
      w12 += q * u
      w20 += r * s
      w21 += r * t
      w22 += r * u
    }
    const i = row * n + other
    W[i] = w00
    W[i + 1] = w01
    W[i + 2] = w02
    W[i + n] = w10
    W[i + n + 1] = w11
    W[i + n + 2] = w12
    W[i + 2 * n] = w20
    W[i + 2 * n + 1] = w21
    W[i + 2 * n + 2] = w22
    if (row === other) return
    const j = other * n + row
    W[j] = w00
    W[j + 1] = w10
    W[j + 2] = w20
    W[j + n] = w01
    W[j + n + 1] = w11
    W[j + n + 2] = w21
    W[j + 2 * n] = w02
    W[j + 2 * n + 1] = w12
    W[j + 2 * n + 2] = w22
  }

  /** out := Y x, per row, of x by velocity (nv), as `addImpulses` makes it. */
  motion(x: Float64Array, out: Float64Array): void {
    const { Y, way, wayStart, wayLength, nv, blockRow, blockWidth, blockWay, blockCount } = this
    for (let block = 0; block < blockCount; block++) {
      const at = wayStart[blockWay[block]]
      const length = wayLength[blockWay[block]]
      for (let r = blockRow[block]; r < blockRow[block] + blockWidth[block]; r++) {
        let sum = 0
        for (let a = 0; a < length; a++) sum += Y[r * nv + a] * x[way[at + a]]
        out[r] = sum
      }
    }
  }

  /** column += Σ Y p, nv. */
  addImpulses(p: Float64Array, column: Float64Array): void {
    const { Y, way, wayStart, wayLength, nv, blockRow, blockWidth, blockWay, blockCount } = this
    for (let block = 0; block < blockCount; block++) {
      const at = wayStart[blockWay[block]]
      const length = wayLength[blockWay[block]]
      for (let r = blockRow[block]; r < blockRow[block] + blockWidth[block]; r++) {
        const impulse = p[r]
        if (impulse === 0) continue
        for (let a = 0; a < length; a++) column[way[at + a]] += Y[r * nv + a] * impulse
      }
    }
  }
}
