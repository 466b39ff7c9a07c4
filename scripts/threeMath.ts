/** The part of three that three/addons/math/ConvexHull imports: the package as one module is 250 kB. */
export { Line3 } from 'three/src/math/Line3.js'
export { Plane } from 'three/src/math/Plane.js'
export { Triangle } from 'three/src/math/Triangle.js'
export { Vector3 } from 'three/src/math/Vector3.js'
