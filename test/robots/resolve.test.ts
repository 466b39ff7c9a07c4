import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskResolver } from '../../robots/files.ts'
import { memoryResolver, resolveReference } from '../../robots/index.ts'
import { normalizePath } from '../../robots/resolve.ts'

const files = memoryResolver(
  new Map(
    [
      'ws/arm/package.xml',
      'ws/arm/urdf/arm.urdf',
      'ws/arm/meshes/a.stl',
      'ws/hand/meshes/h.stl',
      'ws/loose/B.STL',
      'ws/arm/meshes/x y.stl',
    ].map((path) => [path, new Uint8Array([1])]),
  ),
)
const find = (reference: string) => resolveReference(reference, 'ws/arm/urdf/arm.urdf', files)?.path

describe('a reference is found', () => {
  test.each([
    ['package://arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'in a folder above that has the name of the package'],
    ['package://hand/meshes/h.stl', 'ws/hand/meshes/h.stl', 'in a folder of that name beside a parent'],
    ['model://hand/meshes/h.stl', 'ws/hand/meshes/h.stl', 'the same for models'],
    ['package://renamed/meshes/a.stl', 'ws/arm/meshes/a.stl', 'without the name of the package'],
    ['../meshes/a.stl', 'ws/arm/meshes/a.stl', 'from the folder of the file'],
    ['meshes/a.stl', 'ws/arm/meshes/a.stl', 'from the folders above'],
    ['file://meshes/a.stl', 'ws/arm/meshes/a.stl', 'as a file'],
    ['file:///ws/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'by its whole path'],
    ['package://arm/meshes/../meshes/x y.stl', 'ws/arm/meshes/x y.stl', 'after what is undone in it'],
  ])('%s as %s: %s', (reference, path) => {
    expect(find(reference)?.replace(/^\//, '')).toBe(path)
  })

  test('in another letter case, which is told', () => {
    expect(resolveReference('../../loose/b.stl', 'ws/arm/urdf/arm.urdf', files)).toEqual({
      path: 'ws/loose/B.STL',
      caseChanged: true,
    })
  })

  test('not at all if it leads out, is remote, or is not there', () => {
    for (const reference of [
      '../../../../etc/passwd',
      'package://arm/../../../etc',
      'https://x.org/a.stl',
      'package://arm/meshes/none.stl',
    ]) {
      expect(find(reference)).toBeUndefined()
    }
  })

  test('by paths in which dots are undone', () => {
    expect(['a/./b/../c', '/../a', '../a/..', 'a//b/', ''].map(normalizePath)).toEqual(['a/c', '/a', '..', 'a/b', ''])
  })
})

describe('on a disk', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'featherbed-'))
    mkdirSync(join(folder, 'robot'))
    writeFileSync(join(folder, 'secret.stl'), 'secret')
    writeFileSync(join(folder, 'robot', 'open.stl'), 'open')
    symlinkSync(join(folder, 'secret.stl'), join(folder, 'robot', 'link.stl'))
    symlinkSync(join(folder, 'robot', 'open.stl'), join(folder, 'robot', 'good.stl'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('nothing outside the roots is read, not through links either', () => {
    const resolver = diskResolver([join(folder, 'robot')])
    const file = join(folder, 'robot', 'r.urdf')
    const read = (reference: string) => {
      const found = resolveReference(reference, file, resolver)
      return found && new TextDecoder().decode(resolver.read(found.path))
    }
    expect(read('open.stl')).toBe('open')
    expect(read('good.stl')).toBe('open')
    expect(read('link.stl')).toBeUndefined()
    expect(read('../secret.stl')).toBeUndefined()
    expect(read(join(folder, 'secret.stl'))).toBeUndefined()
    expect(resolver.read(join(folder, 'secret.stl'))).toBeUndefined()
    expect(resolver.read(join(folder, 'robot'))).toBeUndefined()
  })
})
