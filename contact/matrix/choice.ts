import type { Model } from '../../dynamics/index.ts'
import { isArticulated } from './articulatedResponse.ts'
import type { ContactMatrix, ContactMatrixName } from './contactMatrix.ts'
import { FactoredMatrix } from './factoredMatrix.ts'
import { RecursiveMatrix } from './recursiveMatrix.ts'
import { TestForceMatrix } from './testForceMatrix.ts'

/**
 * The matrix of that name for a model; for a model with joints that follow others, or with a floating joint inside a tree, the
 * factored one whatever the name, as its own name then says.
 */
export function createContactMatrix(name: ContactMatrixName, model: Model): ContactMatrix {
  if (!isArticulated(model)) return new FactoredMatrix(model)
  switch (name) {
    case 'factored':
      return new FactoredMatrix(model)
    case 'test-forces':
      return new TestForceMatrix(model)
    case 'recursive':
      return new RecursiveMatrix(model)
  }
}

/*
 * Nanoseconds, of which only the differences matter: what the factored way takes per velocity's depth and its square for M and
 * L, and per contact of three rows, for its depth and its square; and likewise the recursive way. Fitted to the times of robots
 * and chains (docs/contact-matrix.md). The products of pairs cost both the same.
 */
const FACTOR = { depth: 2.2, square: 0.2, contact: 70, contactDepth: 6.6, contactSquare: 0.93 } as const
const RECURSE = { always: 180, contact: 28, contactDepth: 20.4 } as const

/**
 * Which matrix a model is best served by with about so many rows: the recursive one, unless its ways to the root are so short
 * that M and its factor cost no more than what the sweeps of each contact do; or unless the model takes none but the factored
 * one. Test forces are never ahead by more than the noise of measuring.
 *
 * A contact is taken to be on any body with the same probability. Nothing but the model and the number decides.
 */
export function chooseMatrix(model: Model, expectedRows: number): ContactMatrixName {
  if (!isArticulated(model)) return 'factored'
  return isServedRecursively(model, depthsOf(model), -1, expectedRows) ? 'recursive' : 'factored'
}

/**
 * The same for each of the model's trees by itself, as if it were alone with so many rows: `recursive` if one of them is best served by
 * that, for who gains by it gains more than the others lose. So it does not depend on how many trees there are: a crowd of small
 * robots gets what one of them gets.
 */
export function chooseMatrixOfTrees(model: Model, expectedRows: number): ContactMatrixName {
  if (!isArticulated(model)) return 'factored'
  const { nv, vParent } = model
  const depth = depthsOf(model)
  for (let root = 0; root < nv; root++) {
    if (vParent[root] < 0 && isServedRecursively(model, depth, root, expectedRows)) return 'recursive'
  }
  return 'factored'
}

/** nv: how many velocities there are on the way to the root. */
function depthsOf({ nv, vParent }: Model): Int32Array {
  const depth = new Int32Array(nv)
  for (let k = 0; k < nv; k++) depth[k] = vParent[k] < 0 ? 1 : depth[vParent[k]] + 1
  return depth
}

/** Whether the recursive way costs less on the tree of velocity `root`, or on all if that is -1. */
function isServedRecursively(model: Model, depth: Int32Array, root: number, expectedRows: number): boolean {
  const { nb, nv, vParent, vLast } = model
  const belongs = new Uint8Array(nv)
  let sum = 0
  let squares = 0
  for (let k = 0; k < nv; k++) {
    belongs[k] = root < 0 || k === root || (vParent[k] >= 0 && belongs[vParent[k]] === 1) ? 1 : 0
    if (belongs[k] === 0) continue
    sum += depth[k]
    squares += depth[k] * depth[k]
  }
  let moving = 0
  let mean = 0
  let meanSquare = 0
  for (let i = 1; i < nb; i++) {
    if (vLast[i] < 0 || belongs[vLast[i]] === 0) continue
    moving++
    mean += depth[vLast[i]]
    meanSquare += depth[vLast[i]] * depth[vLast[i]]
  }
  if (moving === 0) return false
  const contacts = expectedRows / 3
  const F = FACTOR
  const perContact = F.contact + (F.contactDepth * mean + F.contactSquare * meanSquare) / moving
  const factored = F.depth * sum + F.square * squares + contacts * perContact
  const recursive = RECURSE.always + contacts * (RECURSE.contact + (RECURSE.contactDepth * mean) / moving)
  return factored >= recursive
}
