import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryResolver, normalizePath, readerBeside, resolveReference, withPackages } from '../../robots/files/resolve.ts'
import { diskResolver } from '../../robots/files.ts'

function memory(...paths: string[]) {
  return memoryResolver(new Map(paths.map((path) => [path, new TextEncoder().encode(path)])))
}

const files = memory(
  'ws/arm/package.xml',
  'ws/arm/urdf/arm.urdf',
  'ws/arm/meshes/a.stl',
  'ws/hand/meshes/h.stl',
  'ws/loose/B.STL',
  'ws/arm/meshes/x y.stl',
  'ws/arm/meshes/50%.stl',
)
const find = (reference: string) => resolveReference(reference, 'ws/arm/urdf/arm.urdf', files)?.path

describe('a reference is found', () => {
  test.each([
    ['package://arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'in a folder above that has the name of the package'],
    ['package://hand/meshes/h.stl', 'ws/hand/meshes/h.stl', 'in a folder of that name beside a parent'],
    ['model://hand/meshes/h.stl', 'ws/hand/meshes/h.stl', 'the same for models'],
    ['package:///hand//meshes/h.stl', 'ws/hand/meshes/h.stl', 'with too many slashes'],
    ['package://renamed/meshes/a.stl', 'ws/arm/meshes/a.stl', 'without the name of the package'],
    ['../meshes/a.stl', 'ws/arm/meshes/a.stl', 'from the folder of the file'],
    ['meshes/a.stl', 'ws/arm/meshes/a.stl', 'from the folders above'],
    ['file://meshes/a.stl', 'ws/arm/meshes/a.stl', 'as a file'],
    ['file:meshes/a.stl', 'ws/arm/meshes/a.stl', 'as a file without slashes'],
    ['file:///ws/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'by its whole path'],
    ['/ws/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'by its whole path alone'],
    ['file://localhost/ws/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'by its whole path on this machine'],
    ['file://machine/ws/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'by its whole path on a machine'],
    ['package://arm/meshes/../meshes/x y.stl', 'ws/arm/meshes/x y.stl', 'after what is undone in it'],
    ['package://arm/meshes/x%20y.stl', 'ws/arm/meshes/x y.stl', 'with its escapes undone'],
    ['file:///ws/arm/meshes/x%20y.stl', 'ws/arm/meshes/x y.stl', 'with its escapes undone, as a file'],
    ['../meshes/50%.stl', 'ws/arm/meshes/50%.stl', 'with a per cent sign that escapes nothing'],
    ['..\\meshes\\a.stl', 'ws/arm/meshes/a.stl', 'as someone on Windows wrote it'],
    ['package://arm\\meshes\\x%20y.stl', 'ws/arm/meshes/x y.stl', 'as someone on Windows wrote it, in a package'],
  ])('%s as %s: %s', (reference, path) => {
    expect(find(reference)?.replace(/^\//, '')).toBe(path)
  })

  test('in another letter case, which is told, and only if it is nowhere else', () => {
    expect(resolveReference('../../loose/b.stl', 'ws/arm/urdf/arm.urdf', files)).toEqual({
      path: 'ws/loose/B.STL',
      caseChanged: true,
    })
    const twins = memory('a/urdf/r.urdf', 'a/Meshes/other.stl', 'a/meshes/B.stl', 'a/urdf/Meshes/b.STL', 'meshes/b.stl')
    const look = (reference: string) => resolveReference(reference, 'a/urdf/r.urdf', twins)
    expect(look('meshes/b.stl')).toEqual({ path: 'meshes/b.stl', caseChanged: false })
    expect(look('../MESHES/b.stl')).toEqual({ path: 'a/meshes/B.stl', caseChanged: true })
  })

  test('in a folder whose package.xml gives the name, before the name is dropped', () => {
    const manifest = '<package format="3"><!-- <name> -->\n<name>\n arm_description </name></package>'
    const renamed = memoryResolver(
      new Map(
        Object.entries({
          'ws/arm-main/package.xml': manifest,
          'ws/arm-main/meshes/a.stl': '',
          'ws/arm-main/urdf/meshes/a.stl': '',
          'ws/arm-main/urdf/r.urdf': '',
        }).map(([path, text]) => [path, new TextEncoder().encode(text)]),
      ),
    )
    const look = (reference: string) => resolveReference(reference, 'ws/arm-main/urdf/r.urdf', renamed)?.path
    expect(look('package://arm_description/meshes/a.stl')).toBe('ws/arm-main/meshes/a.stl')
    expect(look('package://other/meshes/a.stl')).toBe('ws/arm-main/urdf/meshes/a.stl')
  })

  test('of a package whose folder is given, there and nowhere else', () => {
    const mapped = withPackages({ ...files, roots: ['ws/arm'] }, { arm: 'ws/hand', constructor: 'ws\\loose' })
    const look = (reference: string) => resolveReference(reference, 'ws/arm/urdf/arm.urdf', mapped)
    expect(look('package://arm/meshes/h.stl')?.path).toBe('ws/hand/meshes/h.stl')
    expect(look('package://arm/meshes/a.stl')).toBeUndefined()
    expect(look('package://constructor/b.stl')).toEqual({ path: 'ws/loose/B.STL', caseChanged: true })
    expect(look('package://toString/meshes/a.stl')?.path).toBe('ws/arm/meshes/a.stl')
  })

  test('in the roots before it is looked for around the file', () => {
    const two = { ...memory('mine/arm/meshes/a.stl', 'ws/arm/meshes/a.stl', 'ws/arm/r.urdf'), roots: ['mine', 'ws'] }
    expect(resolveReference('package://arm/meshes/a.stl', 'ws/arm/r.urdf', two)?.path).toBe('mine/arm/meshes/a.stl')
    const named = { ...two, roots: ['ws', 'mine/arm'] }
    expect(resolveReference('package://arm/meshes/a.stl', 'x/r.urdf', named)?.path).toBe('ws/arm/meshes/a.stl')
    expect(resolveReference('package://arm/meshes/a.stl', 'x/r.urdf', { ...two, roots: ['mine/arm'] })?.path).toBe(
      'mine/arm/meshes/a.stl',
    )
  })

  test('not at all if it leads out, is remote, or is not there', () => {
    const inside = { ...memory('ws/arm/urdf/arm.urdf', 'ws/secret.stl', 'ws/arm-secret/x.stl'), roots: ['ws/arm'] }
    for (const reference of [
      '../../secret.stl',
      '../../../ws/secret.stl',
      '..%2f..%2fsecret.stl',
      '..\\..\\secret.stl',
      'package://arm/../secret.stl',
      'package://../ws/secret.stl',
      'package://ws/secret.stl',
      'package://arm/..%2Fsecret.stl',
      'package://arm-secret/x.stl',
      'file:///ws/secret.stl',
      'file://../../secret.stl',
      '/ws/secret.stl',
      'SECRET.stl',
      '../../SECRET.stl',
    ]) {
      expect([reference, resolveReference(reference, 'ws/arm/urdf/arm.urdf', inside)]).toEqual([reference, undefined])
    }
    for (const reference of [
      'https://x.org/a.stl',
      'package://arm/meshes/none.stl',
      'package://arm/meshes/a.stl%00',
      'package://',
      '',
      '%',
    ]) {
      expect([reference, find(reference)?.includes('.stl') ?? false]).toEqual([reference, false])
    }
  })

  test('beside a mesh, what the mesh refers to, and nothing outside', () => {
    const read = readerBeside('ws/arm/meshes/a.gltf', { ...files, roots: ['ws/arm'] })
    const text = (path: string) => new TextDecoder().decode(read(path))
    expect(text('a.stl')).toBe('ws/arm/meshes/a.stl')
    expect(text('../urdf/arm.urdf')).toBe('ws/arm/urdf/arm.urdf')
    for (const path of ['../../hand/meshes/h.stl', '/ws/arm/meshes/a.stl', 'none.bin', 'a.stl\0'])
      expect(read(path)).toBeUndefined()
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
    mkdirSync(join(folder, 'elsewhere', 'meshes'), { recursive: true })
    writeFileSync(join(folder, 'elsewhere', 'meshes', 'Part.stl'), 'part')
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'robot', 'linked'))
    symlinkSync(join(folder, 'robot', 'loop'), join(folder, 'robot', 'loop'))
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
    for (const reference of [
      'linked/meshes/Part.stl',
      'linked/meshes/part.stl',
      'package://linked/meshes/Part.stl',
      'package://elsewhere/meshes/Part.stl',
      'loop',
      'loop/open.stl',
      'package://robot/../secret.stl',
      'package://robot/..%2Fsecret.stl',
      `file://${join(folder, 'secret.stl')}`,
    ]) {
      expect([reference, read(reference)]).toEqual([reference, undefined])
    }
    expect(resolver.list!(join(folder, 'robot', 'linked'))).toEqual([])
    expect(read('OPEN.stl')).toBe('open')
    expect(read(`file://${join(folder, 'robot', 'open.stl')}`)).toBe('open')
  })

  test('a package elsewhere is read when its folder is given, and its neighbours are not', () => {
    const elsewhere = join(folder, 'elsewhere')
    const resolver = withPackages(diskResolver([join(folder, 'robot'), elsewhere]), { parts: elsewhere })
    const file = join(folder, 'robot', 'r.urdf')
    const found = resolveReference('package://parts/meshes/part.stl', file, resolver)
    expect(found).toEqual({ path: join(elsewhere, 'meshes', 'Part.stl'), caseChanged: true })
    expect(new TextDecoder().decode(resolver.read(found!.path))).toBe('part')
    expect(resolveReference('package://parts/../secret.stl', file, resolver)).toBeUndefined()
  })
})
