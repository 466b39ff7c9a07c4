import { mkdirSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { diskResolver, ownFolders } from '../../robots/files.ts'
import { type Place, readerBeside, readMesh, resolveReference } from '../../robots/index.ts'
import type { OpenedRobot } from './openRobot.ts'
import { writeAs } from './output.ts'

export type Format = 'urdf' | 'mjcf' | 'sdf'

/** MuJoCo refuses an STL of more faces, and one in text. */
const mostStlFaces = 200_000

/** The references of a written robot to its meshes: to where they are, or to copies beside it. */
export class MeshesBeside {
  private readonly target: string
  private readonly format: Format
  private readonly opened: OpenedRobot
  /** Folder of the copies; undefined where none are made. */
  private readonly copies: string | undefined
  private readonly references = new Map<string, string>()
  private readonly names = new Set<string>()
  private readonly texts = new Map<string, string | Uint8Array>()
  private readonly reach: ReturnType<typeof diskResolver>
  private readonly lost = new Set<string>()

  /** @param target absolute path of the file that is written */
  constructor(target: string, format: Format, opened: OpenedRobot, withMeshes: boolean) {
    this.target = target
    this.format = format
    this.opened = opened
    this.copies = withMeshes ? `${basename(target, extname(target))}_meshes` : undefined
    this.reach = diskResolver([...ownFolders(target).folders])
  }

  /** The text for a reference of the file that was read. */
  reference(reference: string, place: Place): string {
    const { file, resolver } = this.opened
    const found = resolveReference(reference, file, resolver) ?? resolveReference(reference, place.file, resolver)
    if (!found) return reference
    let written = this.references.get(found.path)
    if (written === undefined) {
      written = this.copies === undefined ? this.leadingTo(reference, found.path) : this.copied(found.path)
      this.references.set(found.path, written)
    }
    return written
  }

  /** How many meshes our own reader cannot have from where the file is, and of how many. */
  get outOfReach(): { readonly count: number; readonly of: number } {
    return { count: this.lost.size, of: this.references.size }
  }

  /** Writes the copies. @throws OutputError */
  write(): void {
    if (this.texts.size > 0) mkdirSync(join(dirname(this.target), this.copies!), { recursive: true })
    for (const [name, content] of this.texts) writeAs(join(dirname(this.target), name), content, '--with-meshes')
  }

  private leadingTo(reference: string, path: string): string {
    // packages stay packages where they are found from the written file, but MuJoCo knows none
    const inPackage = /^(package|model):/i.test(reference) && this.format !== 'mjcf'
    if (inPackage && resolveReference(reference, this.target, this.reach)?.path === path) return reference
    const written = relative(dirname(this.target), resolve(path)).replaceAll(sep, '/')
    if (!resolveReference(written, this.target, this.reach)) this.lost.add(path)
    return written
  }

  private copied(path: string): string {
    const bytes = this.opened.resolver.read(path)!
    const own = extname(path).toLowerCase()
    const mesh = this.readsAsItIs(own, bytes) ? undefined : this.objOf(bytes, path)
    const end = mesh === undefined ? own : '.obj'
    const stem = basename(path, extname(path)).replace(/[^\w.-]/g, '_')
    let name = `${this.copies}/${stem}${end}`
    for (let n = 2; this.names.has(name.toLowerCase()); n++) name = `${this.copies}/${stem}_${n}${end}`
    this.names.add(name.toLowerCase())
    this.texts.set(name, mesh ?? bytes)
    return name
  }

  private readsAsItIs(end: string, bytes: Uint8Array): boolean {
    switch (this.format) {
      case 'mjcf': {
        if (end === '.obj') return true
        const faces = bytes.length >= 84 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true) : -1
        return end === '.stl' && bytes.length === 84 + 50 * faces && faces <= mostStlFaces
      }
      case 'sdf':
        return ['.stl', '.obj', '.dae', '.glb'].includes(end)
      case 'urdf':
        return ['.stl', '.obj', '.dae'].includes(end)
    }
  }

  /** A mesh as an OBJ file in metres; undefined where it cannot be read, and is copied as it is. */
  private objOf(bytes: Uint8Array, path: string): string | undefined {
    try {
      const { points, triangles } = readMesh(bytes, path, { read: readerBeside(path, this.opened.resolver) })
      const lines: string[] = []
      for (let k = 0; k < points.length; k += 3) lines.push(`v ${points[k]} ${points[k + 1]} ${points[k + 2]}`)
      for (let k = 0; k < triangles.length; k += 3)
        lines.push(`f ${triangles[k] + 1} ${triangles[k + 1] + 1} ${triangles[k + 2] + 1}`)
      return `${lines.join('\n')}\n`
    } catch (error) {
      if ((error as Error).name === 'MeshError') return undefined
      throw error
    }
  }
}
