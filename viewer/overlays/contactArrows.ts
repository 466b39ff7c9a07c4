import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  GreaterDepth,
  Group,
  type InstancedMesh,
  type Material,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three'
import { contactStride } from '../runs/protocol.ts'
import { instanced, show } from './instances.ts'

const up = new Vector3(0, 1, 0)

export interface ArrowLook {
  /** Length of an arrow. */
  readonly metresPerNewton: number
  /** Radius of a ball [m]; arrows are drawn to match. */
  readonly size: number
  readonly points: boolean
  readonly forces: boolean
  /** Whether normal force and friction have an arrow each. */
  readonly split: boolean
}

/** The contacts of one run: a ball at each point and an arrow for the force that the robot receives there. */
export class ContactArrows {
  readonly group = new Group()
  private readonly shaft = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0)
  private readonly head = new ConeGeometry(1, 1, 16).translate(0, 0.5, 0)
  private readonly ball = new SphereGeometry(1, 16, 12)
  private readonly seen: MeshLambertMaterial
  private readonly hidden: MeshBasicMaterial
  private capacity = 0
  private shafts: InstancedMesh[] = []
  private heads: InstancedMesh[] = []
  private balls: InstancedMesh[] = []

  constructor(color: string) {
    this.seen = new MeshLambertMaterial({ color, emissive: new Color(color), emissiveIntensity: 0.35 })
    // arrows behind the robot show faintly: most contacts lie under it
    this.hidden = new MeshBasicMaterial({ color, transparent: true, opacity: 0.45, depthWrite: false, depthFunc: GreaterDepth })
    this.reserve(32)
  }

  /**
   * @param contacts as in `Snapshot.contacts`
   */
  update(contacts: Float32Array, { metresPerNewton, size, points, forces, split }: ArrowLook): void {
    const count = contacts.length / contactStride
    this.reserve(2 * count)
    const point = new Vector3()
    const normal = new Vector3()
    const force = new Vector3()
    let arrows = 0
    for (let i = 0; i < count; i++) {
      const k = i * contactStride
      point.fromArray(contacts, k)
      normal.fromArray(contacts, k + 3)
      force.fromArray(contacts, k + 6)
      this.place(this.balls, i, point, up, size, size)
      if (!split) {
        arrows += this.arrow(arrows, point, force, metresPerNewton, size)
      } else {
        const along = force.dot(normal)
        arrows += this.arrow(arrows, point, normal.multiplyScalar(along), metresPerNewton, size)
        arrows += this.arrow(arrows, point, force.sub(normal), metresPerNewton, size)
      }
    }
    show(this.balls, points ? count : 0)
    show(this.shafts, forces ? arrows : 0)
    show(this.heads, forces ? arrows : 0)
  }

  dispose(): void {
    for (const mesh of [...this.shafts, ...this.heads, ...this.balls]) mesh.dispose()
    for (const part of [this.shaft, this.head, this.ball, this.seen, this.hidden]) part.dispose()
  }

  private arrow(index: number, point: Vector3, force: Vector3, metresPerNewton: number, size: number): 0 | 1 {
    const length = force.length() * metresPerNewton
    if (!(length > size * 0.2)) return 0
    const direction = force.clone().normalize()
    const head = Math.min(size * 3.2, length * 0.6)
    this.place(this.shafts, index, point, direction, size * 0.42, length - head)
    this.place(
      this.heads,
      index,
      point.clone().addScaledVector(direction, length - head),
      direction,
      Math.min(size * 1.1, head * 0.4),
      head,
    )
    return 1
  }

  private place(meshes: InstancedMesh[], index: number, at: Vector3, direction: Vector3, width: number, length: number): void {
    matrix.compose(at, turn.setFromUnitVectors(up, direction), scale.set(width, length, width))
    for (const mesh of meshes) mesh.setMatrixAt(index, matrix)
  }

  private reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    this.capacity = capacity * 2
    for (const mesh of [...this.shafts, ...this.heads, ...this.balls]) mesh.dispose()
    this.group.clear()
    const make = (geometry: typeof this.shaft | typeof this.ball) =>
      [this.seen, this.hidden].map((material: Material) => {
        const mesh = instanced(geometry, material, this.capacity, material === this.hidden ? 50 : 0)
        this.group.add(mesh)
        return mesh
      })
    this.shafts = make(this.shaft)
    this.heads = make(this.head)
    this.balls = make(this.ball)
  }
}

const matrix = new Matrix4()
const turn = new Quaternion()
const scale = new Vector3()
