import { Box3, type Object3D, Vector3 } from 'three'
import { across } from '../stage/stage.ts'

/** How the robots of several runs are shown. */
export const layouts = ['side by side', 'one place', 'split views'] as const
export type LayoutName = (typeof layouts)[number]

/** Distance between neighbours over their robot's size, seen from above. */
const clearance = 1.25

/**
 * The room that a robot needs.
 *
 * @param robot as it starts
 * @param origin of its first body [m]
 * @returns distance of robots so that neighbours do not touch, whichever way they face, and how high one reaches above its origin [m]
 */
export function roomOf(robot: Object3D, origin: Vector3): { readonly spacing: number; readonly top: number } {
  robot.updateMatrixWorld(true)
  const box = new Box3().setFromObject(robot)
  if (box.isEmpty()) return { spacing: 1, top: 0 }
  const size = box.getSize(new Vector3())
  return { spacing: clearance * Math.max(size.x, size.y, 0.3 * size.z), top: box.max.z - origin.z }
}

/** Where lane i of so many stands, in a row across the picture about the middle [m]. */
export function placeOf(i: number, count: number, spacing: number): Vector3 {
  return across.clone().multiplyScalar(spacing * (i - 0.5 * (count - 1)))
}
