import type { DisabledCollision } from '../description.ts'
import { quote, type Reader, shorten } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** Most pairs, and most members of other groups, that groups may name, with repetitions: far above any robot. */
const mostNames = 4_000_000

interface Group {
  readonly element: XmlElement
  readonly what: string
  readonly members: Set<string>
  readonly memberGroups: string[]
  readonly ignored: Set<string>
}

/**
 * `<drake:collision_filter_group>`: a group's members do not collide with those of the groups that it ignores, its own
 * among them if it is listed. A group may include the members of others.
 */
export function readCollisionFilters(
  reader: Reader,
  elements: readonly XmlElement[],
  links: ReadonlySet<string>,
): DisabledCollision[] {
  const groups = readGroups(reader, elements, links)
  let budget = mostNames
  const overdrawn = ({ element, what }: Group) => {
    const message = `the groups name more than ${mostNames} pairs of links or members of each other.`
    reader.findings.error('filter-limit', element, what, message, 'State each pair of groups once.')
    return []
  }
  for (const group of groups.values()) {
    budget = takeMembers(group, groups, reader, budget)
    if (budget < 0) return overdrawn(group)
  }

  const pairs = new Map<string, Set<string>>()
  const disabled: DisabledCollision[] = []
  for (const [name, group] of groups) {
    for (const ignored of group.ignored) {
      const other = groups.get(ignored)
      if (!other) {
        reader.findings.warning('filter-group', group.element, group.what, `there is no group ${quote(ignored)}.`, 'Passed by.')
        continue
      }
      budget -= group.members.size * other.members.size
      if (budget < 0) return overdrawn(group)
      for (const a of group.members) {
        for (const b of other.members) {
          if (a === b) continue
          const [link1, link2] = a < b ? [a, b] : [b, a]
          let partners = pairs.get(link1)
          if (!partners) pairs.set(link1, (partners = new Set()))
          if (partners.has(link2)) continue
          partners.add(link2)
          disabled.push({ link1, link2, reason: `drake:collision_filter_group ${shorten(name)}`, place: group.element })
        }
      }
    }
  }
  return disabled
}

function readGroups(reader: Reader, elements: readonly XmlElement[], links: ReadonlySet<string>): Map<string, Group> {
  const { account, findings } = reader
  const groups = new Map<string, Group>()
  for (const element of elements) {
    if (reader.flagAttribute(element, 'ignore', `<${element.name}>`)) continue
    account.use(element)
    const name = reader.name(element)
    if (name === undefined) continue
    const what = `<${element.name} name=${quote(name)}>`
    const group: Group = groups.get(name) ?? { element, what, members: new Set(), memberGroups: [], ignored: new Set() }
    groups.set(name, group)
    for (const child of element.children) {
      const whatChild = `<${child.name}> of ${what}`
      if (child.name === 'drake:member') {
        const link = reader.required(child, 'link', whatChild)
        if (link === undefined) continue
        if (links.has(link)) group.members.add(link)
        else findings.warning('filter-member', child, whatChild, `there is no link ${quote(link)}.`, 'Passed by.')
      } else if (child.name === 'drake:member_group') {
        const member = reader.required(child, 'name', whatChild)
        if (member !== undefined) group.memberGroups.push(member)
      } else if (child.name === 'drake:ignored_collision_filter_group') {
        const ignored = reader.required(child, 'name', whatChild)
        if (ignored !== undefined) group.ignored.add(ignored)
      } else continue
      account.use(child)
    }
  }
  return groups
}

/**
 * Adds the members of a group's groups, of theirs, and so on; a group that holds itself is walked once.
 *
 * @returns the budget left
 */
function takeMembers(group: Group, groups: ReadonlyMap<string, Group>, reader: Reader, budget: number): number {
  let left = budget
  const seen = new Set<string>()
  const queue = [...group.memberGroups]
  for (let name = queue.pop(); name !== undefined && left >= 0; name = queue.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const inner = groups.get(name)
    if (!inner) {
      reader.findings.warning('filter-group', group.element, group.what, `there is no group ${quote(name)}.`, 'Passed by.')
      continue
    }
    // a visit costs about as much as a hundred names
    left -= 100 + inner.members.size + inner.memberGroups.length
    for (const member of inner.members) group.members.add(member)
    for (const member of inner.memberGroups) queue.push(member)
  }
  return left
}
