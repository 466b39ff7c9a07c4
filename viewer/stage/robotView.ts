import {
  Box3,
  Color,
  Group,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type Object3D,
  type Raycaster,
  Vector3,
} from 'three'
import { convexOf } from '../../contact/geometry/index.ts'
import { createData, createState, type Data, kinematics, type State } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { BodyVisual } from './bodyVisuals.ts'
import { createShapeMesh, placement } from './shapeMeshes.ts'

/** Robot data of a view. */
export type ViewedRobot = Pick<Robot, 'model' | 'home' | 'shapes'>

/** Style of a solid robot. */
export interface Look {
  /** 0 to 1. */
  readonly opacity: number
  readonly wireframe: boolean
  /** Body that is tinted; -1 for none. */
  readonly selected: number
}
const plainLook: Look = { opacity: 1, wireframe: false, selected: -1 }
const selectedColor = '#1f6fb2'

/** One run's robot on the stage, placed by the same kinematics that simulates it. */
export class RobotView {
  readonly group = new Group()
  /** Where the robot is: the origin of its first body [m]. */
  readonly position = new Vector3()
  private readonly robot: ViewedRobot
  private readonly state: State
  private readonly data: Data
  /** One group a body, for visuals and for collision shapes. */
  private readonly visuals: Group[] = []
  private readonly collisions: Group[] = []
  private readonly hasVisuals: boolean
  private readonly color: string
  private readonly pointSize: number
  private readonly materials: readonly Material[]
  private look: Look = plainLook
  /** The file's own, of replaced ones. */
  private readonly plain = new Map<Mesh, Material | Material[]>()
  /** Replacement materials. */
  private readonly dress = new Map<string, Material>()
  /** Whether the collision shapes that are there are those of `convexOf`, each in a colour. */
  private areParts = false

  /**
   * @param order 0 is drawn solid in its own colours; the others translucent in `color`, seen only where they part from
   *   the solid one
   * @param pointSize radius at which a contact point of the robot is drawn [m]
   */
  constructor(robot: ViewedRobot, visuals: readonly (BodyVisual | undefined)[], color: string, order: number, pointSize: number) {
    this.robot = robot
    this.color = color
    this.pointSize = pointSize
    this.state = createState(robot.model)
    this.data = createData(robot.model)
    this.hasVisuals = visuals.some((visual) => visual !== undefined)
    this.materials = order === 0 ? [] : ghostMaterials(color, order)
    for (let i = 0; i < robot.model.nb; i++) {
      const visual = visuals[i]
      const seen = new Group()
      if (visual && order === 0) {
        for (const mesh of visual.meshes) {
          const copy = mesh.clone()
          copy.castShadow = copy.receiveShadow = true
          seen.add(copy)
        }
      } else if (visual) {
        this.materials.forEach((material, layer) => {
          const mesh = new Mesh(visual.whole, material)
          mesh.renderOrder = 10 * order + layer
          seen.add(mesh)
        })
      }
      const touching = new Group()
      for (const group of [seen, touching]) {
        group.matrixAutoUpdate = false
        this.group.add(group)
      }
      this.visuals.push(seen)
      this.collisions.push(touching)
    }
    this.show(true, false)
    this.pose(robot.home)
  }

  pose(q: Float64Array): void {
    const { robot, state, data } = this
    state.q.set(q)
    kinematics(robot.model, state, data)
    for (let i = 0; i < robot.model.nb; i++) {
      placement(this.visuals[i].matrix, data.R_WB[i], data.p_WB[i])
      this.collisions[i].matrix.copy(this.visuals[i].matrix)
      this.visuals[i].matrixWorldNeedsUpdate = this.collisions[i].matrixWorldNeedsUpdate = true
    }
    if (robot.model.nb > 1) this.position.fromArray(data.p_WB[1]).add(this.group.position)
  }

  /** Draws it aside of where it is. */
  moveTo(place: Vector3): void {
    this.position.sub(this.group.position).add(place)
    this.group.position.copy(place)
  }

  /** `kinematics` of the pose that is shown. */
  get kinematics(): Data {
    return this.data
  }

  /** Sets the style of a solid robot; ghosts stay as they are. */
  wear(look: Look): void {
    const { opacity, wireframe, selected } = this.look
    if (this.materials.length > 0) return
    if (look.opacity === opacity && look.wireframe === wireframe && look.selected === selected) return
    this.look = look
    for (const material of this.dress.values()) material.dispose()
    this.dress.clear()
    this.visuals.forEach((group, body) => {
      group.traverse((part) => {
        if (!(part instanceof Mesh)) return
        const own = this.plain.get(part) ?? part.material
        this.plain.set(part, own)
        part.material = Array.isArray(own) ? own.map((one) => this.dressed(one, body)) : this.dressed(own, body)
      })
    })
  }

  private dressed(material: Material, body: number): Material {
    const { opacity, wireframe, selected } = this.look
    const isSelected = body === selected
    if (opacity === 1 && !wireframe && !isSelected) return material
    const name = `${material.uuid} ${isSelected}`
    const there = this.dress.get(name)
    if (there) return there
    const own = material.clone()
    this.dress.set(name, own)
    if (opacity < 1) Object.assign(own, { transparent: true, opacity, depthWrite: false })
    if (wireframe) Object.assign(own, { wireframe })
    if (isSelected && 'emissive' in own && own.emissive instanceof Color) own.emissive.set(selectedColor).multiplyScalar(0.5)
    return own
  }

  /**
   * A robot whose file states no visuals shows its collision shapes.
   *
   * @param parts whether these are the convex shapes that contact models take for them, each in a colour
   */
  show(visuals: boolean, collisions: boolean, parts = false): void {
    for (const group of this.visuals) group.visible = visuals
    const areShown = collisions || parts || !this.hasVisuals
    if (areShown && parts !== this.areParts) {
      this.areParts = parts
      this.clearCollisions()
    }
    if (areShown) this.addCollisions()
    for (const group of this.collisions) group.visible = areShown
  }

  /** Edges of fine meshes take a while to find, and are rarely shown. */
  private addCollisions(): void {
    if (this.collisions.some(({ children }) => children.length > 0)) return
    this.robot.shapes.forEach(({ shape, body, R, p }, i) => {
      const [drawn, color] = this.areParts ? [convexOf(shape), partColor(i)] : [shape, this.color]
      const mesh = createShapeMesh(drawn, color, this.pointSize)
      mesh.matrixAutoUpdate = false
      placement(mesh.matrix, R, p)
      this.collisions[body].add(mesh)
    })
  }

  private clearCollisions(): void {
    for (const group of this.collisions) {
      group.traverse(disposeOf)
      group.clear()
    }
  }

  /** The space that each body's visuals and collision shapes take, in world axes [m]; an empty box where there is nothing. */
  bounds(): { readonly body: string; readonly seen: Box3; readonly touching: Box3 }[] {
    this.addCollisions()
    this.group.updateMatrixWorld(true)
    return this.robot.model.bodyName.map((body, i) => ({
      body,
      seen: new Box3().setFromObject(this.visuals[i], true),
      touching: new Box3().setFromObject(this.collisions[i], true),
    }))
  }

  /** The first visible point of the robot on a ray: the body, and where, in its axes [m]. */
  hit(ray: Raycaster): { readonly body: number; readonly own: Vector3; readonly distance: number } | undefined {
    this.group.updateMatrixWorld(true)
    const found = [...this.visuals, ...this.collisions].filter(({ visible }) => visible)
    const [first] = ray.intersectObjects(found, true).filter(({ object }) => object instanceof Mesh)
    if (first === undefined) return undefined
    const group = found.find((one) => isWithin(first.object, one)) as Group
    const body = Math.max(this.visuals.indexOf(group), this.collisions.indexOf(group))
    return { body, own: group.worldToLocal(first.point.clone()), distance: first.distance }
  }

  /** Where a point of a body is on the stage [m]. */
  placeOf(body: number, own: Vector3): Vector3 {
    return own.clone().applyMatrix4(this.visuals[body].matrix).add(this.group.position)
  }

  dispose(): void {
    for (const material of [...this.materials, ...this.dress.values()]) material.dispose()
    this.clearCollisions()
  }
}

function isWithin(part: Object3D | null, group: Group): boolean {
  return part !== null && (part === group || isWithin(part.parent, group))
}

/** Of the i-th of many: neighbours differ in hue, by the golden section. */
function partColor(i: number): string {
  return `#${new Color().setHSL((0.61803 * i) % 1, 0.7, 0.5).getHexString()}`
}

function disposeOf(part: Object3D): void {
  if (part instanceof Mesh || part instanceof LineSegments) {
    part.geometry.dispose()
    part.material.dispose()
  }
}

/**
 * Depth first, then colour, so that a ghost shows one layer of itself and not its inside; both after the ground. The
 * offset lets the solid robot win where both are in the same place.
 */
function ghostMaterials(color: string, order: number): Material[] {
  const offset = { transparent: true, polygonOffset: true, polygonOffsetFactor: 2 * order, polygonOffsetUnits: 16 * order }
  return [
    new MeshBasicMaterial({ colorWrite: false, ...offset }),
    new MeshLambertMaterial({ color, opacity: 0.45, depthWrite: false, ...offset }),
  ]
}
