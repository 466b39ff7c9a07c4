import { Box3, Color, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Vector3 } from 'three'
import { type PlacedShape, writeShapeBounds } from '../../contact/geometry/index.ts'
import { createData, createState, kinematics, mulMatrix3, rotate3 } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { createGround } from '../../simulation/index.ts'
import type { Theme } from './palette.ts'
import { placement, shapeGeometry } from './shapeMeshes.ts'

/** Grounds that the page offers. */
export const surroundings = ['flat', 'curb'] as const
export type SurroundingsName = (typeof surroundings)[number]

// as parts of the longer side of the robot's outline, seen from above
const curbHeight = 0.03
const curbDepth = 1.2
const curbWidth = 8
/** From the robot's front. */
const curbDistance = 0.4

/** The ground, and for 'curb' a low slab across the way that the robot faces, along x. Undefined for the world's default. */
export function fixturesFor(name: SurroundingsName, robot: Robot): PlacedShape[] | undefined {
  if (name === 'flat') return undefined
  const [x0, y0, x1, y1] = outlineOf(robot)
  const unit = Math.max(x1 - x0, y1 - y0)
  const size = [curbDepth * unit, curbWidth * unit, curbHeight * unit] as const
  const p = Float64Array.of(x1 + curbDistance * unit + 0.5 * size[0], 0.5 * (y0 + y1), 0.5 * size[2])
  return [
    createGround(),
    { name: 'curb', body: 0, shape: { type: 'box', size }, R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p },
  ]
}

/** Least x and y, greatest x and y of collision shapes, in the home pose [m]; a metre around the origin without any. */
function outlineOf({ model, shapes, home }: Robot): readonly [number, number, number, number] {
  const state = createState(model)
  const data = createData(model)
  state.q.set(home)
  kinematics(model, state, data)
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const bounds = new Float64Array(6)
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { shape, body, R: own, p: at } of shapes) {
    mulMatrix3(R, data.R_WB[body], own)
    rotate3(p, data.R_WB[body], at)
    for (let k = 0; k < 3; k++) p[k] += data.p_WB[body][k]
    writeShapeBounds(shape, R, p, new Float64Array(1), 0, bounds, 0)
    x0 = Math.min(x0, bounds[0])
    y0 = Math.min(y0, bounds[1])
    x1 = Math.max(x1, bounds[3])
    y1 = Math.max(y1, bounds[4])
  }
  return x1 > x0 ? [x0, y0, x1, y1] : [-0.5, -0.5, 0.5, 0.5]
}

/** Higher than it is wide, one way or the other: it would hide things behind it. */
function isWall(mesh: Mesh): boolean {
  mesh.updateMatrixWorld(true)
  const { x, y, z } = new Box3().setFromObject(mesh).getSize(new Vector3())
  return z > 1.5 * Math.min(x, y)
}

/** Visible fixtures on the ground. */
export class SurroundingsView {
  readonly group = new Group()
  private readonly surface = new MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })
  /** Of walls. */
  private readonly glass = new MeshLambertMaterial({ transparent: true, opacity: 0.25, depthWrite: false })
  private readonly line = new LineBasicMaterial()

  show(fixtures: readonly PlacedShape[] = []): void {
    this.clear()
    for (const { shape, R, p } of fixtures) {
      if (shape.type === 'halfspace') continue
      const geometry = shapeGeometry(shape, 0)
      const mesh = new Mesh(geometry, this.surface)
      const edges = new LineSegments(new EdgesGeometry(geometry, 20), this.line)
      mesh.castShadow = mesh.receiveShadow = true
      for (const part of [mesh, edges]) {
        part.matrixAutoUpdate = false
        placement(part.matrix, R, p)
        this.group.add(part)
      }
      if (!isWall(mesh)) continue
      mesh.material = this.glass
      mesh.castShadow = mesh.receiveShadow = false
    }
  }

  setTheme({ ground, gridMajor }: Theme): void {
    this.surface.color.set(ground)
    this.glass.color.set(ground)
    this.surface.emissive = new Color(ground).multiplyScalar(0.15)
    this.line.color.set(gridMajor)
  }

  private clear(): void {
    for (const part of this.group.children) if (part instanceof Mesh || part instanceof LineSegments) part.geometry.dispose()
    this.group.clear()
  }
}
