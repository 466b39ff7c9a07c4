import { describe, expect, test } from 'vitest'
import { loadRobot, memoryResolver, type Robot } from '../../robots/index.ts'
import { stlBinary } from './fuzz/meshesSamples.ts'

type Point = [number, number, number]

/** A wheel of n sides about y, at a place of its own. */
function wheel(n: number, radius: number, width: number): Uint8Array {
  const at = (k: number, y: number): Point => {
    const angle = (2 * Math.PI * k) / n
    return [0.3 + radius * Math.cos(angle), 0.1 + y, 0.2 + radius * Math.sin(angle)]
  }
  const triangles: number[][] = []
  for (let k = 0; k < n; k++) {
    const [a, b, c, d] = [at(k, -width / 2), at(k + 1, -width / 2), at(k, width / 2), at(k + 1, width / 2)]
    triangles.push([...a, ...b, ...c], [...b, ...d, ...c])
  }
  return stlBinary(triangles)
}

function ball(radius: number): Uint8Array {
  const at = (i: number, j: number): Point => {
    const [a, b] = [(Math.PI * i) / 24, (Math.PI * j) / 24]
    return [radius * Math.sin(a) * Math.cos(b), radius * Math.sin(a) * Math.sin(b), radius * Math.cos(a)]
  }
  const triangles: number[][] = []
  for (let i = 0; i < 24; i++) for (let j = 0; j < 48; j++) triangles.push([...at(i, j), ...at(i + 1, j), ...at(i + 1, j + 1)])
  return stlBinary(triangles)
}

const load = (mesh: Uint8Array, fit: boolean): Robot =>
  loadRobot(
    `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
     <collision><origin xyz="0 0 1"/><geometry><mesh filename="m.stl"/></geometry></collision></link></robot>`,
    { file: 'r.urdf', resolver: memoryResolver(new Map([['m.stl', mesh]])), fit, ground: false, strict: true },
  )

describe('plain shapes for meshes', () => {
  test('a wheel of 64 sides is told to be a cylinder, and becomes one where that is asked for', () => {
    const told = load(wheel(64, 0.1, 0.05), false)
    expect(told.shapes[0].shape.type).toBe('hull')
    expect(told.diagnostics.map(({ code }) => code)).toContain('mesh-fits')
    const robot = load(wheel(64, 0.1, 0.05), true)
    const [{ shape, R, p }] = robot.shapes
    const fitted = robot.diagnostics.find(({ code }) => code === 'mesh-fitted')!
    if (shape.type !== 'cylinder') throw new Error(`found a ${shape.type}`)
    expect(Math.abs(shape.radius - 0.1)).toBeLessThan(1e-4)
    expect(Math.abs(shape.length - 0.05)).toBeLessThan(1e-7)
    // its axis is y, its middle that of the mesh
    expect(Math.abs(Math.abs(R[5]) - 1)).toBeLessThan(1e-6)
    expect(Math.hypot(p[0] - 0.3, p[1] - 0.1, p[2] - 1.2)).toBeLessThan(1e-6)
    // the sagitta of a side, 0.12 mm, is all that it may stand out
    expect(Number(/to ([\d.e-]+) mm/.exec(fitted.message)![1])).toBeLessThanOrEqual(
      1000 * 0.1 * (1 - Math.cos(Math.PI / 64)) + 0.01,
    )
  })

  test('a ball is a sphere, and a wheel of eight sides stays what it is', () => {
    expect(load(ball(0.2), true).shapes[0].shape).toMatchObject({ type: 'sphere' })
    expect(load(wheel(8, 0.1, 0.05), true).shapes[0].shape.type).toBe('hull')
  })
})
