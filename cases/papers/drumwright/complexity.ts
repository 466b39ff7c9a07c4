import { Random } from '../../../compare/scenario/world/random.ts'
import { BottomPoints, selectBottom, TestForceMatrix } from '../../../contact/index.ts'
import { cos, createData, createState, kinematics, sin, workSpent } from '../../../dynamics/index.ts'
import { fittedOrder } from '../baraff/numerics.ts'
import { type Claim, judged } from '../page.ts'
import { between } from '../uniform.ts'
import { measured } from './measured.ts'
import { chainOf, multiplierClaim } from './multipliers.ts'
import { significant } from './numbers.ts'

/** Growth of a cost: sizes, the count at each, and the processor time of one [s]. */
export interface Growth {
  readonly size: readonly number[]
  readonly count: readonly number[]
  readonly time: readonly number[]
}

/** W of so many contacts with friction at the end of a chain of so many joints: multiply-adds of the test forces, and time. */
export function testForces(sizes: readonly (readonly [joints: number, contacts: number])[]): Growth {
  const done = sizes.map(([joints, contacts]) => {
    const model = chainOf(joints)
    const data = createData(model)
    kinematics(model, createState(model), data)
    const axes = Float64Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0)
    const matrix = new TestForceMatrix(model)
    matrix.begin(data, new Float64Array(model.nv))
    for (let n = 0; n < contacts; n++) {
      const point = Float64Array.of(0.01 * n, 0.02 * n, 0)
      for (let r = 0; r < 3; r++) matrix.addForce(0, joints, point, 0, axes, r)
    }
    const W = new Float64Array(matrix.rowCount ** 2)
    return measured(() => matrix.build(W), workSpent)
  })
  return { size: sizes.map(([joints, contacts]) => joints * contacts), ...columns(done) }
}

/**
 * Points on the bottom of a volume: coordinates and keys that the selection reads, and time. All points of a bowl are on its bottom, of a cloud
 * in a ball a few.
 */
export function bottomPoints(kind: 'cloud' | 'bowl', sizes: readonly number[]): Growth {
  const random = new Random(1)
  const done = sizes.map((count) => {
    const points = new BottomPoints(count)
    points.count = count
    points.tolerance.fill(1e-12)
    for (let i = 0; i < count; i++) {
      const radius = kind === 'bowl' ? Math.sqrt(i / count) : Math.cbrt(random.next())
      const angle = 2.399963229728653 * i // of sunflower seeds
      const up = kind === 'bowl' ? 0 : between(random, -1, 1)
      const across = radius * Math.sqrt(1 - up * up)
      points.x[i] = across * cos(angle)
      points.y[i] = across * sin(angle)
      points.depth[i] = kind === 'bowl' ? 1 - radius * radius : radius * up
    }
    const { time } = measured(
      () => selectBottom(points),
      () => 0,
    )
    return { time, count: readsOf(points) }
  })
  return { size: sizes, ...columns(done) }
}

const read = ['x', 'y', 'depth', 'angle', 'length', 'inLine'] as const

function readsOf(points: BottomPoints): number {
  let reads = 0
  for (const name of read) {
    points[name] = new Proxy(points[name], {
      get(array, key) {
        reads++
        return array[key as unknown as number]
      },
    })
  }
  selectBottom(points)
  return reads
}

const columns = (done: readonly { readonly count: number; readonly time: number }[]) => ({
  count: done.map(({ count }) => count),
  time: done.map(({ time }) => time),
})

/** Joints of the humanoid of section IV-D. */
const joints = 32
/** How far an exponent may be above that of the paper. */
const slack = 0.15

/** The paper's orders of growth as exponents, of counts and so the same on every machine; those of time beside them. */
export function complexityClaims(): Claim[] {
  const [m, n, many] = [
    [8, 16, 32, 64, 128],
    [2, 4, 8, 16, 32],
    [64, 128, 256],
  ]
  const ofJoints = testForces(m.map((size) => [size, 1]))
  const ofContacts = testForces(n.map((size) => [joints, size]))
  const ofMany = testForces(many.map((size) => [m[0], size]))
  const two = (x: readonly number[], { count, time }: Growth) =>
    `${significant(fittedOrder(x, count), 2)} (time ${significant(fittedOrder(x, time), 2)})`
  const worst = Math.max(fittedOrder(m, ofJoints.count), fittedOrder(n, ofContacts.count))
  const sizes = [64, 256, 1024, 4096]
  const order = sizes.map((size) => size * Math.log2(size))
  const [cloud, bowl] = (['cloud', 'bowl'] as const).map((kind) => bottomPoints(kind, sizes))
  const steepest = Math.max(fittedOrder(order, cloud.count), fittedOrder(order, bowl.count))
  return [
    multiplierClaim(),
    {
      where: 'Section II-B',
      claim: 'multiply-adds of the matrix of contacts by Kokkevis’s test forces, as a power',
      paper: 'O(mn), m links and n contacts',
      found:
        `of m, one contact, 8 to 128 joints: ${two(m, ofJoints)}; of n, ${n[0]} to ${n[n.length - 1]} contacts with friction on ${joints} joints: ${two(n, ofContacts)}; ` +
        `of n, ${many[0]} to ${many[many.length - 1]} contacts on ${m[0]} joints: ${two(many, ofMany)}`,
      judgement: worst <= 1 + slack ? 'order reproduced' : 'not reproduced',
      why: 'The test forces are O(mn), as printed; but the matrix has n² entries, and where contacts are many beside joints these are what it costs.',
    },
    {
      where: 'Section III-A',
      claim: 'what the choice of the points on the bottom reads, as a power of N lg N',
      paper: 'O(N lg N)',
      found: `64 to 4,096 points in a ball, few of them on the bottom: ${two(order, cloud)}; all on a bowl: ${two(order, bowl)}`,
      judgement: judged(steepest <= 1 + slack),
      why: 'Counted are keys and coordinates of points. A corner that is put in among others moves these on in an array: N² / 4 moves of four bytes where all are kept, which show in the time of a bowl of tens of thousands.',
    },
  ]
}
