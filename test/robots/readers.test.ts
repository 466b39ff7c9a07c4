import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { examineRobot, MeshStore, memoryResolver, readOtherwise } from '../../robots/index.ts'
import { inertial } from './lookalike.ts'

/** The files and the table of docs/importers.md, whose cells were seen by its commands. */
const page = readFileSync(new URL('../../docs/importers.md', import.meta.url), 'utf8')
const files = new Map(
  Array.from(page.matchAll(/^### (.+)\n\n(?:.+\n\n)?```xml\n([^`]+)```/gm), ([, title, text]) => [title, text]),
)
const meshes = {
  'm.dae': /^`m\.dae`:\n\n```xml\n([^`]+)```/m.exec(page)![1],
  'text.stl': 'solid m\n facet normal 0 0 1\n  outer loop\n',
  'binary.stl': `solid, says the name of a binary file${'\0'.repeat(60)}`,
  'm.ply': 'ply\n',
}

/** The tools, with versions, and their cells in a row, where these are not empty. */
function rowOf(title: string): Map<string, string> {
  const cellsIn = (line: string) => line.split('|').slice(2, -1)
  const cells = new Map<string, string>()
  for (const [table] of page.matchAll(/(?:^\|.*\n)+/gm)) {
    const [head, , ...lines] = table.trim().split('\n')
    const row = cellsIn(lines.find((line) => line.startsWith(`| [${title}]`)) ?? '').map((cell) => cell.trim())
    for (const [k, tool] of cellsIn(head).entries()) {
      if ((row[k] ?? '') !== '') cells.set(tool.replaceAll(/\[|\]\(\S+\)/g, '').trim(), row[k])
    }
  }
  return cells
}

function otherwise(text: string, file = 'r.urdf') {
  const encoded = Object.entries(meshes).map(([name, content]) => [name, new TextEncoder().encode(content)] as const)
  const resolver = memoryResolver(new Map(encoded))
  return readOtherwise(examineRobot(text, { file, resolver }), new MeshStore(file, resolver))
}
const toolOf = ({ message }: { message: string }) => message.split(': ')[0]

describe('what other tools read otherwise', () => {
  for (const [title, text] of files) {
    test(`${title}: once for each tool of its row`, () => {
      const found = otherwise(text)
      const row = rowOf(title)
      expect(found.map(toolOf).sort()).toEqual([...row.keys()].sort())
      for (const finding of found) {
        expect(finding).toMatchObject({ severity: 'info', code: 'read-otherwise', file: 'r.urdf' })
        expect(finding.message.endsWith(' the file is refused.'), finding.message).toBe(row.get(toolOf(finding)) === 'refused')
      }
    })
  }

  test('nothing in a sound file, of URDF 1.0 or of none', () => {
    const arm =
      '<link name="arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
    const joint = `<joint name="j" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0.6 0 0.8"/>
      <limit lower="-1" upper="1" effort="5" velocity="2"/></joint>`
    for (const version of ['', ' version="1.0"']) {
      expect(otherwise(`<robot name="r"${version}><link name="world"/>${arm}${joint}</robot>`)).toEqual([])
    }
    expect(otherwise('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>', 'r.xml')).toEqual([])
  })

  test('many links of a kind are one finding, which names them', () => {
    const links = Array.from({ length: 30 }, (_, k) => `<link name="l${k}">${inertial}</link>`)
    const joints = links
      .slice(1)
      .map((_, k) => `<joint name="j${k}" type="fixed"><parent link="l${k}"/><child link="l${k + 1}"/></joint>`)
    const found = otherwise(`<robot name="r">\n${links.join('\n')}${joints.join('')}</robot>`)
    expect(new Set(found.map(toolOf)).size).toBe(found.length)
    expect(found[0]).toMatchObject({ line: 2, element: expect.stringMatching(/^<inertia> of links "l0", .* and 26 more$/) })
  })

  test('mass that is fixed behind a link counts as its own', () => {
    const robot = (
      mass: string,
    ) => `<robot name="r"><link name="world"/><link name="base"/><link name="body">${mass}</link><link name="arm">${inertial}</link>
      <joint name="a" type="fixed"><parent link="world"/><child link="base"/></joint>
      <joint name="b" type="fixed"><parent link="base"/><child link="body"/></joint>
      <joint name="c" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>`
    const lost = (text: string) => otherwise(text).filter(({ message }) => message.includes('left out'))
    expect(lost(robot(inertial))).toEqual([])
    expect(lost(robot(''))).toMatchObject([{ element: 'link "base"' }])
  })

  test('elements of other programs inside a link say nothing', () => {
    const own = '<self_collision_checking><geometry><capsule radius="1" length="1"/></geometry></self_collision_checking>'
    const found = otherwise(files.get('A safety controller without k_velocity')!.replace('</link>', `${own}</link>`))
    expect(found.filter(({ element }) => element.includes('capsule'))).toEqual([])
  })

  test('the place is the element, the remedy a value on which all agree', () => {
    const [finding] = otherwise(files.get('A limit without range')!)
    expect(finding).toMatchObject({
      line: 3,
      element: '<limit> of joint "j"',
      message: 'sdformat 12.3.0: without lower and upper the joint is locked at 0.',
      remedy: 'State both, or type continuous.',
    })
  })
})
