import type { PlacedShape } from '../contact/geometry/index.ts'
import type { Model } from '../dynamics/index.ts'

/** Where in a file something stands. Lines count from 1; 0 where only the file is known. */
export interface Place {
  readonly file: string
  readonly line: number
}

/** What the loader has to say of a robot: one finding, where it is, what was done, what to do about it. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info'
  /** A stable kebab-case identifier, such as `inertia-triangle` or `mesh-missing`. */
  readonly code: string
  /** The element it is about, such as `<inertia> of link "FR_hip"`. */
  readonly element: string
  readonly file: string
  readonly line: number
  readonly message: string
  readonly remedy: string
}

/** A link, or any other named frame. A link that was merged into another body keeps its name and its place here. */
export interface Frame {
  readonly name: string
  /** Body that carries it (0 is the world). */
  readonly body: number
  /** 9, row-major: turns the frame's axes into the body's. */
  readonly R: Float64Array
  /** 3: the frame's origin in the body's axes [m]. */
  readonly p: Float64Array
}

/** One collision shape. Its name is the link's, with the number of the collision when the link has several. */
export interface CollisionShape extends PlacedShape {
  readonly link: string
}

export interface RobotJoint {
  readonly name: string
  readonly type: 'revolute' | 'continuous' | 'prismatic'
  readonly body: number
  readonly qIndex: number
  readonly vIndex: number
}

/** A robot ready to simulate: the mechanism, its collision shapes, its names, and how it stands at rest. */
export interface Robot {
  readonly name: string
  readonly model: Model
  readonly floating: boolean
  /** Moving joints in the order of the velocities; each is driven by one effort. */
  readonly joints: readonly RobotJoint[]
  readonly frames: readonly Frame[]
  readonly shapes: readonly CollisionShape[]
  /**
   * nq: every joint at zero clamped into its limits, or the pose that the robot's maker states; a floating base is at the
   * height at which the lowest collision point touches z = 0.
   */
  readonly home: Float64Array
  /** Sum over all links as the file says, and as used after repairs [kg]. */
  readonly massDeclared: number
  readonly massUsed: number
  readonly diagnostics: readonly Diagnostic[]
  /** Elements of the file that the loader acted on, kept without acting on them (what is only seen), and passed by. */
  readonly tags: { readonly used: readonly string[]; readonly carried: readonly string[]; readonly ignored: readonly string[] }
  /** What the file holds, before anything was merged. */
  readonly counts: {
    readonly links: number
    readonly joints: {
      readonly revolute: number
      readonly continuous: number
      readonly prismatic: number
      readonly fixed: number
      readonly floating: number
      readonly planar: number
      /** Also counted under their own type. */
      readonly mimic: number
    }
  }
  /** 4: mass of the links fixed to the world, and mass times their centre of mass in world axes [kg, kg m]. */
  readonly worldMoments: Float64Array
}
