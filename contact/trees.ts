import { JointType, type Model } from '../dynamics/index.ts'
import type { Trees } from './contactModel.ts'

/** The kinematic tree of each body, and the trees' masses. @unchecked */
export function treesOf({ nb, parent, jointType, I }: Model): Trees {
  const treeOf = new Int32Array(nb).fill(-1)
  const mass: number[] = []
  for (let i = 1; i < nb; i++) {
    treeOf[i] = treeOf[parent[i]]
    if (treeOf[i] < 0 && jointType[i] !== JointType.fixed && jointType[i] !== JointType.mocap) treeOf[i] = mass.push(0) - 1
    if (treeOf[i] >= 0) mass[treeOf[i]] += I[i][0]
  }
  return { treeOf, mass: Float64Array.from(mass) }
}
