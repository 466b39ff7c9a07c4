/** Several processes at one folder: no reader sees a part of a file or a mixture of two, and a lock has one holder, dead ones aside. */
import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockError, lock } from '../../compare/cli/folderLock.ts'
import { OutputError, writeWhole } from '../../compare/recording/wholeFile.ts'
import { ownName, removeLeft } from '../../control/ownFiles.ts'
import { bundled, type OwnProcess } from '../ownProcess.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()
let writers: OwnProcess
beforeAll(async () => {
  writers = await bundled(new URL('./writers.run.ts', import.meta.url))
})
afterAll(() => writers.delete())

/** @returns the signal that ended it, or its code */
const started = (...args: string[]) =>
  new Promise<unknown>((resolve) => {
    spawn(process.execPath, [writers.file, ...args], { stdio: ['ignore', 'ignore', 'inherit'] }).once('exit', (code, signal) =>
      resolve(signal ?? code),
    )
  })

test('fifty writes of five processes: every reader finds one of them, whole', async () => {
  const file = join(folder.path, 'file.json')
  writeWhole(file, '{"filler":""}')
  let isOver = false
  const all = Promise.all(Array.from({ length: 5 }, () => started('write', folder.path, '10'))).finally(() => {
    isOver = true
  })
  const seen = new Set<number>()
  let enough = ''
  for (let reads = 0; !isOver; reads++) {
    const { writer, filler } = JSON.parse(readFileSync(file, 'utf8'))
    if (writer !== undefined) {
      expect(filler === String(writer).repeat(40_000)).toBe(true)
      seen.add(writer)
    }
    if (reads > 50 && seen.size === 5) enough ||= folder.write('enough', '')
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await all).toEqual([0, 0, 0, 0, 0])
  rmSync(enough)
  expect(readdirSync(folder.path)).toEqual(['file.json'])
})

test('a lock has one holder at a time; that of a killed process is taken over by one of those that want it', async () => {
  const number = folder.write('number', '0')
  const ends = await Promise.all(Array.from({ length: 5 }, () => started('lock', folder.path, '10')))
  expect(ends).toEqual(new Array(5).fill('SIGKILL'))
  expect(readFileSync(number, 'utf8')).toBe('50')
  const release = lock(join(folder.path, 'lock'), 'here')
  expect(() => lock(join(folder.path, 'lock'), 'here')).toThrow(LockError)
  expect(() => lock(join(folder.path, 'lock'), 'here')).toThrow(
    new RegExp(`^here: is being written to by process ${process.pid} on ${hostname()}, since 20.*remove .*lock$`),
  )
  release()
  expect(readdirSync(folder.path).filter((name) => name.startsWith('lock'))).toEqual([])
})

test('a lock that says nothing of its holder is respected, and named', () => {
  const file = folder.write('foreign', 'what is this')
  expect(() => lock(file, 'here')).toThrow(/an unknown process; .*remove .*foreign/)
})

test('what killed processes left is removed, what others are at is not', () => {
  const [own, dead, elsewhere] = [
    `.${ownName('.part')}`,
    ownName().replace(/-\d+-\d+-/, '-4194303-1-'),
    'featherbed-00000000-1-1-x',
  ]
  for (const name of [own, dead, elsewhere, 'results.json']) folder.write(name, '')
  removeLeft(folder.path)
  const names = readdirSync(folder.path)
  for (const name of [own, elsewhere, 'results.json']) expect(names).toContain(name)
  expect(names).not.toContain(dead)
})

test('a link stays a link, and what it leads to is replaced as a whole', () => {
  const target = folder.write('target', 'before')
  const link = join(folder.path, 'link')
  symlinkSync(target, link)
  writeWhole(link, 'after')
  expect(readFileSync(target, 'utf8')).toBe('after')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
})

test('what cannot be written says why, and leaves what was there', () => {
  const inside = join(folder.write('plain', 'kept'), 'x')
  expect(() => writeWhole(inside, '')).toThrow(OutputError)
  expect(() => writeWhole(inside, '')).toThrow(/ENOTDIR: a file is in the way/)
  expect(() => writeWhole(join(folder.path, 'no', 'x'), '')).toThrow(/ENOENT: its folder does not exist/)
  writeFileSync(join(folder.path, 'x'), '')
  expect(readFileSync(join(folder.path, 'plain'), 'utf8')).toBe('kept')
})
