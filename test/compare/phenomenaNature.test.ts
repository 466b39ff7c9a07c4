import { expect, test } from 'vitest'
import { sceneFiles } from '../../cases/phenomena.ts'
import { parseScene, type SceneCase } from '../../cases/scene.ts'

/** What scenes say of nature where it is no formula of one line, found another way: no code of ours moves anything here. */

const g = 9.81
const casesOf = async (name: string) => {
  const [{ file, source }] = sceneFiles([name])
  return (await parseScene(source, file)).cases
}
const natureOf = ({ measures }: SceneCase, name: string) => {
  const measure = measures.find((one) => one.name === name)
  if (measure === undefined) throw new Error(`no measure "${name}" among ${measures.map((one) => one.name).join(', ')}`)
  return measure.nature
}
const isNear = (value: number, expected: number, digits: number) =>
  expect(Math.abs(value - expected), `${value} for ${expected}`).toBeLessThan(10 ** -digits)

/** A step of Runge and Kutta's method of order four. */
function rungeKutta(rate: (s: number[]) => number[], s: number[], h: number): number[] {
  const at = (k: number[], part: number) => s.map((value, i) => value + part * h * k[i])
  const k1 = rate(s)
  const k2 = rate(at(k1, 0.5))
  const k3 = rate(at(k2, 0.5))
  const k4 = rate(at(k3, 1))
  return s.map((value, i) => value + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]))
}

/** x of A x = b by elimination; A is symmetric and positive. */
function solve(A: number[][], b: number[]): number[] {
  const n = b.length
  for (let p = 0; p < n; p++)
    for (let r = p + 1; r < n; r++) {
      const c = A[r][p] / A[p][p]
      for (let q = p; q < n; q++) A[r][q] -= c * A[p][q]
      b[r] -= c * b[p]
    }
  const x = new Array<number>(n).fill(0)
  for (let p = n - 1; p >= 0; p--) x[p] = (b[p] - x.reduce((sum, value, q) => (q > p ? sum + A[p][q] * value : sum), 0)) / A[p][p]
  return x
}

test('chain-in-flight: Lagrange, in the place of its first end and the angles of its rods against the world', async () => {
  const [n, l, m, I] = [5, 0.5, 1, 0.0208333]
  // x, z of the first end, then angles about y, from x towards -z; rod k has its middle at the end plus the sum of arm(k, j) (cos, -sin) of j
  const arm = (k: number, j: number) => (j < k ? l : j === k ? l / 2 : 0)
  const rate = (s: number[]) => {
    const w = s.slice(n + 4)
    const [cos, sin] = [s.slice(2, n + 2).map(Math.cos), s.slice(2, n + 2).map(Math.sin)]
    const A = Array.from({ length: n + 2 }, () => new Array<number>(n + 2).fill(0))
    const b = new Array<number>(n + 2).fill(0)
    for (let k = 0; k < n; k++) {
      const Jx = [1, 0, ...sin.map((value, j) => -arm(k, j) * value)]
      const Jz = [0, 1, ...cos.map((value, j) => -arm(k, j) * value)]
      const ax = cos.reduce((sum, value, j) => sum - arm(k, j) * value * w[j] ** 2, 0)
      const az = sin.reduce((sum, value, j) => sum + arm(k, j) * value * w[j] ** 2, 0)
      for (let p = 0; p < n + 2; p++) {
        for (let q = 0; q < n + 2; q++) A[p][q] += m * (Jx[p] * Jx[q] + Jz[p] * Jz[q])
        b[p] -= m * (Jx[p] * ax + Jz[p] * az)
      }
      A[k + 2][k + 2] += I
    }
    return [...s.slice(n + 2), ...solve(A, b)]
  }
  const [scene] = await casesOf('chain-in-flight')
  const turns = [1, 3, -1, 2, -3] // 1, and the velocities of the hinges added up
  let s = [...new Array(n + 2).fill(0), 0, 1.4, ...turns]
  for (let k = 0; k < 400; k++) s = rungeKutta(rate, s, 5e-3)
  const last = s.slice(2, n + 1)
  isNear(s[0] + last.reduce((sum, angle) => sum + l * Math.cos(angle), 0), natureOf(scene, 'last hinge along x'), 4)
  isNear(s[1] - last.reduce((sum, angle) => sum + l * Math.sin(angle), 0), natureOf(scene, 'last hinge along z'), 4)
})

test('hexagonal-pencil: edge after edge from rest, by steps in time, comes to the speed of the closed form', async () => {
  const [scene] = await casesOf('hexagonal-pencil')
  const [r, slope, mass] = [0.1, Math.PI / 18, 1]
  // moments about an edge and about the middle, of six triangles: m r² (5/12 + 1)
  const inertia = mass * r ** 2 * (5 / 12 + 1)
  const fall = ([angle, rate]: number[]) => [rate, (mass * g * r * Math.sin(angle)) / inertia]
  let [speed, time, least] = [3, 0, 0]
  for (let side = 0; side < 12; side++) {
    // angle of the middle over the edge against the vertical, and its rate
    let s = [slope - Math.PI / 6, speed]
    ;[time, least] = [0, Infinity]
    while (s[0] < slope + Math.PI / 6) {
      s = rungeKutta(fall, s, 1e-3)
      time += 1e-3
      least = Math.min(least, s[1])
    }
    // back to the impact, some part of a step ago
    const late = (s[0] - slope - Math.PI / 6) / s[1]
    s = rungeKutta(fall, s, -late)
    time -= late
    // angular momentum about the next edge: that of the turn about the middle, and m v times the arm of v, r cos(60 deg)
    speed = (s[1] * mass * (5 / 12 + Math.cos(Math.PI / 3)) * r ** 2) / inertia
  }
  isNear(r / time, natureOf(scene, 'mean speed'), 3.5)
  isNear(least, natureOf(scene, 'least angular velocity'), 3)
})

test('coin-on-its-rim: its contact rests, and the moment of its load turns its angular momentum', async () => {
  const [{ scenario, measures }] = await casesOf('coin-on-its-rim')
  const { rpy, angularVelocity: w, position, mass } = scenario.bodies[0] as unknown as Record<string, number[]> & { mass: number }
  const [a, c, lean] = [0.05, 0.0025, rpy[1]]
  // of the rim's lowest point from the middle
  const r = [a * Math.cos(lean) - c * Math.sin(lean), 0, -a * Math.sin(lean) - c * Math.cos(lean)]
  isNear(position[2], -r[2], 9)
  const cross = (p: number[], q: number[]) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
  for (const component of cross(w, r)) isNear(component, 0, 9)
  const axis = [Math.sin(lean), 0, Math.cos(lean)]
  const spin = w[0] * axis[0] + w[2] * axis[2]
  const [across, along] = [mass * (a ** 2 / 4 + (2 * c) ** 2 / 12), (mass * a ** 2) / 2]
  const L = w.map((value, k) => across * (value - spin * axis[k]) + along * spin * axis[k])
  const time = measures.find(({ take }) => take === 'when')!.nature
  const Omega = (10.5 * Math.PI) / time
  // all turns about the vertical with Omega: the axis, w x axis = Omega x axis; and L
  isNear(cross(w, axis)[1], Omega * axis[0], 6)
  isNear(Omega * L[0], cross(r, [0, 0, mass * g])[1], 6)
  expect(measures.find(({ name }) => name === 'lean at the end')!.nature).toBe(lean)
})

test('box-wedged: the tilt at which the edges are as far apart as floor and ceiling', async () => {
  const [scene] = await casesOf('box-wedged')
  const tilt = natureOf(scene, 'tilt')
  isNear(0.04 * Math.cos(tilt) + 0.02 * Math.sin(tilt), 0.042, 9)
})

test('slab-with-balls: all accelerations meet the equations of motion', async () => {
  for (const scene of await casesOf('slab-with-balls')) {
    const [slab, ball] = [natureOf(scene, 'speed of the slab'), natureOf(scene, 'speed of the middle ball')]
    const pull = Number(scene.values.pull)
    const push = pull - ball // of a ball of 1 kg on the slab
    const friction = 10 * pull + 25 * push - 10 * slab
    const limit = 0.4 * 35 * g
    if (slab > 0) isNear(friction, limit, 9)
    else expect(friction).toBeLessThan(limit)
    // it rolls: the turn that the push gives it, 5/2 of it, is the rest
    isNear(ball - 2.5 * push, slab, 9)
  }
})
