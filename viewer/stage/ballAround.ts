import { Box3, type Object3D, Sphere } from 'three'

/** A ball that holds all of an object, in world axes [m]; undefined if there is nothing to be seen of it. */
export function ballAround(object: Object3D): Sphere | undefined {
  object.updateMatrixWorld(true) // three measures what was never drawn by matrices that were never computed
  const box = new Box3().setFromObject(object)
  return box.isEmpty() ? undefined : box.getBoundingSphere(new Sphere())
}
