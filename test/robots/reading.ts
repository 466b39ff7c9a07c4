import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RobotDescription } from '../../robots/description.ts'
import { RobotError } from '../../robots/diagnostics.ts'
import type { Diagnostic } from '../../robots/robot.ts'
import { type DescribeOptions, describeUrdf } from '../../robots/urdf/index.ts'
import { parseXml } from '../../robots/xml.ts'

/** What the reader makes of a text, with nothing judged, merged or compiled after it. */
export function describeText(text: string, file = 'test.urdf', options: DescribeOptions = {}): RobotDescription {
  return describeUrdf(parseXml(text, file), file, options)
}

export function describeElements(elements: string): RobotDescription {
  return describeText(`<robot name="test">${elements}</robot>`)
}

/** A file of the package `lookalike`. */
export function describeLookalike(name: string): RobotDescription {
  return describeText(readFileSync(fileURLToPath(new URL(`./files/lookalike/urdf/${name}`, import.meta.url)), 'utf8'), name)
}

/** Severity and code of each finding; those of repairs have a `!`. */
export function verdict({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }): string[] {
  return diagnostics.map(({ severity, code, repaired }) => `${severity} ${code}${repaired ? '!' : ''}`)
}

/** The verdict on a text, whether it is read or refused. */
export function verdictOn(elements: string): string[] {
  try {
    return verdict(describeElements(elements))
  } catch (error) {
    if (error instanceof RobotError) return verdict(error)
    throw error
  }
}

/** The error of something that has to fail. */
export function refusal(read: () => unknown): RobotError {
  try {
    read()
  } catch (error) {
    if (error instanceof RobotError) return error
    throw error
  }
  throw new Error('expected a RobotError, but nothing was thrown')
}

/** Findings as `code:line`. */
export function placed({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }): string[] {
  return diagnostics.map(({ code, line }) => `${code}:${line}`)
}

export const twoLinks = '<link name="a"/><link name="b"/>'

/** A joint between the links `a` and `b`. */
export function jointText(type: string, inside = '', name = 'j'): string {
  return `<joint name="${name}" type="${type}"><parent link="a"/><child link="b"/>${inside}</joint>`
}

export function fixed(name: string, parent: string, child: string): string {
  return `<joint name="${name}" type="fixed"><parent link="${parent}"/><child link="${child}"/></joint>`
}
