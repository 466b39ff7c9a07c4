import { shortened } from '../../dynamics/index.ts'
import type { JointDescription, LinkDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { closest, quote } from '../elements/index.ts'
import type { Place } from '../robot.ts'

export interface Root {
  readonly name: string
  /** Whether it is the `world` that joints name and no link declares. */
  readonly worldUndeclared: boolean
}

/** A guess at a misspelt name costs a comparison with every other, so only the first few get one. */
const mostGuesses = 10
/** Names in a message that lists them. */
const mostNames = 8

/**
 * Whether there are links, and no more than may be; else an error.
 *
 * @param none message and remedy where there are none
 */
export function checkCount(
  findings: Findings,
  root: Place,
  what: string,
  links: number,
  maxLinks: number,
  none: string,
  remedy: string,
): boolean {
  if (links === 0) findings.error('no-links', root, what, none, remedy)
  else if (links <= maxLinks) return true
  else
    findings.error('too-many-links', root, what, `${links} links; at most ${maxLinks} are loaded.`, 'Set maxLinks to load more.')
  return false
}

/**
 * Checks that links and joints form a tree: every link but the root has exactly one parent, and all are reached from the
 * root. `world` may be a parent without being declared.
 *
 * @param complete whether all joints of the file are here; one that was refused leaves a second root behind
 */
export function checkTree(
  findings: Findings,
  place: Place,
  links: readonly LinkDescription[],
  joints: readonly JointDescription[],
  complete: boolean,
): Root {
  const byName = new Map(links.map((link) => [link.name, link]))
  const parentJoint = new Map<string, JointDescription>()
  let worldUndeclared = false
  let undeclared = 0
  const refuse = (joint: JointDescription, role: 'parent' | 'child') => {
    undeclared++
    const name = joint[role]
    const meant = undeclared <= mostGuesses ? closest(name, byName.keys()) : undefined
    findings.error(
      'undeclared-link',
      joint.place,
      `<joint name=${quote(joint.name)}>`,
      `its ${role} ${quote(name)} is no <link>${meant === undefined ? '' : `; ${quote(meant)} may be meant`}.`,
      'Declare the link or correct the name.',
    )
  }
  for (const joint of joints) {
    if (!byName.has(joint.parent)) {
      if (joint.parent === 'world') worldUndeclared = true
      else refuse(joint, 'parent')
    }
    if (!byName.has(joint.child)) {
      refuse(joint, 'child')
      continue
    }
    const first = parentJoint.get(joint.child)
    if (first) {
      findings.error(
        'two-parents',
        joint.place,
        `<joint name=${quote(joint.name)}>`,
        `link ${quote(joint.child)} has a parent already, by joint ${quote(first.name)} at line ${first.place.line}.`,
        'A URDF robot is a tree: remove one of the two joints.',
      )
    } else parentJoint.set(joint.child, joint)
  }

  const roots = links.filter((link) => !parentJoint.has(link.name)).map((link) => link.name)
  if (worldUndeclared) roots.unshift('world')
  if (roots.length > 1 && undeclared === 0 && complete) {
    findings.error(
      'several-roots',
      byName.get(roots[1]) ? byName.get(roots[1])!.place : place,
      `<link name=${quote(roots[1])}>`,
      `${roots.length} links have no parent: ${shortened(roots.map(quote), mostNames, ', ...')}.`,
      'Connect them by joints; a robot has one root.',
    )
  }
  reportLoops(findings, links, parentJoint)
  return { name: roots[0] ?? '', worldUndeclared }
}

/** Going up from any link ends at a root or in a loop; names the links of each loop once. */
function reportLoops(
  findings: Findings,
  links: readonly LinkDescription[],
  parentJoint: ReadonlyMap<string, JointDescription>,
): void {
  const walkOf = new Map<string, number>()
  links.forEach((start, walk) => {
    let name = start.name
    for (let joint = parentJoint.get(name); joint && !walkOf.has(name); joint = parentJoint.get(name)) {
      walkOf.set(name, walk)
      name = joint.parent
    }
    if (walkOf.get(name) !== walk) return // ended at a root, or where an earlier walk has been
    const closing = parentJoint.get(name)!
    const loop = [name]
    for (let next = closing.parent; next !== name; next = parentJoint.get(next)!.parent) loop.push(next)
    const shown = [...loop.reverse(), loop[0]]
    findings.error(
      'cycle',
      closing.place,
      `<joint name=${quote(closing.name)}>`,
      shown.length === 2
        ? `it joins link ${quote(name)} to itself.`
        : `the links ${shortened(shown.map(quote), mostNames, ' -> ...', ' -> ')} form a loop.`,
      'A URDF robot is a tree: remove the joint that closes the loop.',
    )
  })
}
