import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  type InstancedMesh,
  LineBasicMaterial,
  LineDashedMaterial,
  LineSegments,
  type Material,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { constraintKind, constraintLinks, type FeatureMoment, featureKind } from '../../contact/index.ts'
import type { FeatureColors } from '../stage/palette.ts'
import { instanced, show } from './instances.ts'

const up = new Vector3(0, 1, 0)
/** Sizes of marks by role, and of those that push, in the unit of `MarkLook.size`. */
const sizes = [0.6, 0.75, 1]
const pushingSize = 1.5

export interface MarkLook {
  /** Of a mark [m]. */
  readonly size: number
  readonly colors: FeatureColors
  /** Crosses face the camera. */
  readonly camera: Quaternion
}

/** How much of a moment is on the stage. */
export interface ShownMarks {
  readonly marks: number
  /** Lines that join the contacts of constraints, those to active members among them. */
  readonly links: number
}

/**
 * The feature contacts of one run: at each point a mark whose form is the kind's and whose colour and size the role, the gap as a line
 * along the normal, and lines that join the contacts of a constraint. A cone stands for a vertex and points at the face.
 */
export class FeatureMarks {
  readonly group = new Group()
  shown: ShownMarks = { marks: 0, links: 0 }
  private readonly cone = new ConeGeometry(1, 2.4, 14).translate(0, -1.2, 0) // its tip at the contact
  private readonly cross = crossGeometry()
  private readonly rod = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0)
  // most contacts lie under the robot: marks are drawn over whatever stands in front of them, with a rim that parts them from it
  private readonly coneRim = new ConeGeometry(1.24, 3, 14).translate(0, -1.28, 0)
  private readonly crossRim = crossGeometry(0.22)
  private readonly fill = overlay()
  private readonly rim = overlay()
  private readonly inter = new LineBasicMaterial({ toneMapped: false, transparent: true, opacity: 0.75, depthTest: false })
  private readonly crossing = new LineDashedMaterial({ toneMapped: false, transparent: true, opacity: 0.75, depthTest: false })
  private readonly interLines = new LineSegments(new BufferGeometry(), this.inter)
  private readonly crossLines = new LineSegments(new BufferGeometry(), this.crossing)
  private capacity = 0
  private cones: InstancedMesh[] = []
  private crosses: InstancedMesh[] = []
  private rods: InstancedMesh[] = []

  constructor() {
    for (const lines of [this.interLines, this.crossLines]) {
      lines.frustumCulled = false
      lines.renderOrder = 55
    }
    this.group.add(this.interLines, this.crossLines)
    this.reserve(32)
  }

  /** @param moment undefined: nothing is shown */
  update(moment: FeatureMoment | undefined, { size, colors, camera }: MarkLook): void {
    this.group.visible = moment !== undefined
    if (!moment) {
      this.shown = { marks: 0, links: 0 }
      return
    }
    const links = constraintLinks(moment)
    this.reserve(moment.count + Math.max(moment.count, links.length))
    const count = { cones: 0, crosses: 0, rods: 0 }
    const rank = (i: number) => (moment.force[i] > 0 ? sizes.length : moment.role[i])
    // more important ones come last, so on top
    const order = Array.from({ length: moment.count }, (_, i) => i).sort((i, j) => rank(i) - rank(j))
    for (const i of order) {
      place.fromArray(moment.point, 3 * i)
      normal.fromArray(moment.normal, 3 * i)
      const pushes = moment.force[i] > 0
      const role = moment.role[i]
      color.set(pushes ? colors.pushing : [colors.idle, colors.passedBy, colors.active][role])
      const width = size * (pushes ? pushingSize : sizes[role])
      const kind = moment.kind[i]
      if (kind === featureKind.edgeEdge) {
        matrix.compose(place, camera, scale.setScalar(width))
        this.set(this.crosses, count.crosses++)
      } else {
        const sign = kind === featureKind.vertexFace ? 1 : -1
        this.put(this.cones, count.cones++, place, direction.copy(normal).multiplyScalar(sign), width, width)
      }

      // from surface to surface
      const gap = moment.gap[i]
      if (Math.abs(gap) < 0.05 * size) continue
      color.set(gap < 0 ? colors.overlap : colors.gap)
      end.copy(place).addScaledVector(normal, -0.5 * Math.abs(gap))
      this.put(this.rods, count.rods++, end, normal, 0.16 * size, Math.abs(gap))
    }
    color.set(colors.active)
    for (const { from, to, isActive, kind } of links) {
      if (!isActive || kind === constraintKind.cross) continue
      place.fromArray(from)
      end.fromArray(to).sub(place)
      const length = end.length()
      this.put(this.rods, count.rods++, place, end.divideScalar(length), 0.18 * size, length)
    }
    show(this.cones, count.cones)
    show(this.crosses, count.crosses)
    show(this.rods, count.rods)

    this.rim.color.set(colors.rim)
    this.inter.color.set(colors.link)
    this.crossing.color.set(colors.link)
    this.crossing.dashSize = this.crossing.gapSize = 0.9 * size
    const isCross = ({ kind }: { kind: number }) => kind === constraintKind.cross
    join(
      this.interLines,
      links.filter((link) => !isCross(link)),
    )
    join(this.crossLines, links.filter(isCross))
    this.shown = { marks: count.cones + count.crosses, links: links.length }
  }

  dispose(): void {
    for (const mesh of this.meshes()) mesh.dispose()
    for (const { geometry } of [this.interLines, this.crossLines]) geometry.dispose()
    for (const part of [
      this.cone,
      this.coneRim,
      this.cross,
      this.crossRim,
      this.rod,
      this.fill,
      this.rim,
      this.inter,
      this.crossing,
    ])
      part.dispose()
  }

  private meshes(): InstancedMesh[] {
    return [...this.cones, ...this.crosses, ...this.rods]
  }

  /** Where it is, its axis along a direction. */
  private put(meshes: InstancedMesh[], index: number, at: Vector3, along: Vector3, width: number, length: number): void {
    matrix.compose(at, turn.setFromUnitVectors(up, along), scale.set(width, length, width))
    this.set(meshes, index)
  }

  /** At the present `matrix`, the first of the meshes in the present `color`. */
  private set(meshes: InstancedMesh[], index: number): void {
    meshes[0].setColorAt(index, color)
    for (const mesh of meshes) mesh.setMatrixAt(index, matrix)
  }

  private reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    this.capacity = capacity * 2
    for (const mesh of this.meshes()) {
      mesh.dispose()
      this.group.remove(mesh)
    }
    const make = (geometry: BufferGeometry, material: Material, order: number) => {
      const mesh = instanced(geometry, material, this.capacity, order)
      this.group.add(mesh)
      return mesh
    }
    this.cones = [make(this.cone, this.fill, 57), make(this.coneRim, this.rim, 54)]
    this.crosses = [make(this.cross, this.fill, 57), make(this.crossRim, this.rim, 54)]
    this.rods = [make(this.rod, this.fill, 56)]
  }
}

const overlay = () => new MeshBasicMaterial({ toneMapped: false, transparent: true, depthTest: false, depthWrite: false })

/** Two bars that cross, in the plane of x and y, thicker and longer by `rim` on all sides. */
function crossGeometry(rim = 0): BufferGeometry {
  const width = 0.62 + 2 * rim
  const bars = [0.25, 0.75].map((turn) => new BoxGeometry(3.2 + 2 * rim, width, width).rotateZ(turn * Math.PI))
  const whole = mergeGeometries(bars)
  for (const bar of bars) bar.dispose()
  return whole
}

const matrix = new Matrix4()
const turn = new Quaternion()
const scale = new Vector3()
const place = new Vector3()
const end = new Vector3()
const normal = new Vector3()
const direction = new Vector3()
const color = new Color()

function join(lines: LineSegments, links: readonly { readonly from: readonly number[]; readonly to: readonly number[] }[]): void {
  const { geometry } = lines
  const wanted = 6 * links.length
  let position = geometry.getAttribute('position') as BufferAttribute | undefined
  if (position === undefined || position.array.length < wanted) {
    geometry.dispose()
    geometry.deleteAttribute('lineDistance')
    position = new BufferAttribute(new Float32Array(2 * Math.max(wanted, 96)), 3).setUsage(DynamicDrawUsage)
    geometry.setAttribute('position', position)
  }
  links.forEach(({ from, to }, i) => {
    position.array.set(from, 6 * i)
    position.array.set(to, 6 * i + 3)
  })
  position.needsUpdate = true
  geometry.setDrawRange(0, 2 * links.length)
  lines.visible = links.length > 0
  if (lines.visible && lines.material instanceof LineDashedMaterial) lines.computeLineDistances()
}
