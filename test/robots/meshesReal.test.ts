/** Meshes as people bring them. FEATHERBED_ROBOTS names a folder that holds them; they are read in place. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isMeshFormat, type Mesh, type MeshOptions, readMesh } from '../../robots/meshes/index.ts'
import { hasRobots, robotsFolder } from '../dailyModels.ts'

const isHere = hasRobots('the meshes of real robots')

function read(name: string, options: MeshOptions = {}): Mesh {
  const path = join(robotsFolder!, name)
  return readMesh(readFileSync(path), path, { ...options, read: (beside) => readFileSync(join(dirname(path), beside)) })
}

/** Smallest and largest coordinate along each axis. */
function boundsOf({ points }: Mesh): number[] {
  const bounds = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity]
  for (let i = 0; i < points.length; i++) {
    bounds[i % 3] = Math.min(bounds[i % 3], points[i])
    bounds[3 + (i % 3)] = Math.max(bounds[3 + (i % 3)], points[i])
  }
  return bounds
}

function expectClose(found: readonly number[], expected: readonly number[], tolerance: number): void {
  for (const [k, value] of found.entries()) expect(Math.abs(value - expected[k])).toBeLessThan(tolerance)
}

describe.runIf(isHere)('of real robots', () => {
  test('every mesh is read', () => {
    const names = readdirSync(robotsFolder!, { recursive: true, encoding: 'utf8' }).filter(isMeshFormat)
    expect(names.length).toBeGreaterThan(200)
    for (const name of names) expect([name, read(name).points.length > 0]).toEqual([name, true])
  })

  test('parts that PR2 and Atlas bring in glTF and in OBJ lie on each other, once y up is turned to z up', () => {
    const pr2 = 'pr2/drake_models/pr2_description/meshes/'
    const parts = ['forearm_v0/forearm', 'forearm_v0/wrist_flex', 'gripper_v0/gripper_palm', 'gripper_v0/l_finger']
    for (const part of [...parts, 'gripper_v0/l_finger_tip', 'shoulder_v0/shoulder_pan', 'upper_arm_v0/upper_arm']) {
      const [gltf, obj] = [read(`${pr2}${part}.gltf`), read(`${pr2}${part}.obj`)]
      expect(gltf.triangles.length).toBe(obj.triangles.length)
      // positions are single precision in one and printed with six digits in the other
      expectClose(boundsOf(gltf), boundsOf(obj), 1e-6)
    }
    const atlas = 'atlas/drake_models/atlas/meshes/'
    for (const part of ['pelvis', 'l_foot', 'r_foot', 'l_uleg', 'r_larm', 'r_hand', 'utorso', 'r_clav']) {
      // the hulls are padded by up to a centimetre or two; a turned foot would be off by ten
      expectClose(boundsOf(read(`${atlas}${part}.gltf`)), boundsOf(read(`${atlas}${part}_chull.obj`)), 0.02)
    }
  })

  test('the fingers of the 2F-85 fit their pictures only with their axes taken as they are', () => {
    const folder = 'robotiq_2f_85/robotiq_2f_85_gripper_visualization/meshes/'
    for (const part of ['inner_finger', 'inner_knuckle', 'outer_finger', 'outer_knuckle']) {
      const collision = `${folder}collision/robotiq_arg2f_85_${part}.dae` // says Y_UP
      const visual = `${folder}visual/robotiq_arg2f_85_${part}.dae` // says Z_UP, but for the outer knuckle
      expectClose(boundsOf(read(collision)), boundsOf(read(visual)), 0.01) // both in millimetres, without a unit
      const [x0, y0, z0, x1, y1, z1] = boundsOf(read(collision))
      expectClose(boundsOf(read(collision, { upAxis: 'apply' })), [x0, -z1, y0, x1, -z0, y1], 1e-9)
    }
    // no unit is metres: the URDF's scale of 0.001 makes a finger of 6 cm
    expectClose(
      boundsOf(read(`${folder}collision/robotiq_arg2f_85_inner_finger.dae`)),
      [-7.5, -23.902, -5.996, 7.5, 5.996, 44.515],
      1e-3,
    )
  })

  test('a DAE and the STL of the same part agree', () => {
    const quadrotor = 'hector_quadrotor/example-robot-data/robots/hector_description/meshes/quadrotor/quadrotor_base'
    expectClose(boundsOf(read(`${quadrotor}.dae`)), boundsOf(read(`${quadrotor}.stl`)), 1e-6)
    const ur5 = 'ur5/example-robot-data/robots/ur_description/meshes/ur5/'
    for (const part of ['base', 'wrist3']) {
      expectClose(boundsOf(read(`${ur5}visual/${part}.dae`)), boundsOf(read(`${ur5}collision/${part}.stl`)), 1e-3) // a simplified surface
    }
  })
})
