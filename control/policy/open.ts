import * as is from '../../dynamics/math/arguments.ts'
import type { Controller } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { createNetwork, type Network } from './network.ts'
import { readOnnx } from './onnx.ts'
import { describedBy, policy } from './policy.ts'

/**
 * The network of an ONNX file, for scripts: write `inputs`, call `run`, read `outputs`. A script that imports a file, `import walk from
 * './walk.onnx'`, has its network so.
 *
 * @param bytes of the file, or a text of a character a byte @param file for messages
 * @throws ControllerError for a file that cannot be read, and operators and types that are not taken
 */
export function networkOf(bytes: Uint8Array | string, file: string): Network {
  is.check(bytes, is.either(is.instance(Uint8Array), is.text), 'networkOf: bytes')
  const all = typeof bytes === 'string' ? Uint8Array.from(bytes, (character) => character.charCodeAt(0)) : bytes
  return createNetwork(readOnnx(all, file), file)
}

/** Access to a policy's files. */
export interface PolicyFiles {
  /** @throws Error with the reason why it cannot be read */
  read(path: string): Promise<Uint8Array>
  /** The path of a name relative to a file. */
  beside(path: string, name: string): string
}

/** Files that hold no code: a network, or a description that names one. @unchecked */
export const isPolicy = (path: string): boolean => /\.(onnx|ya?ml)$/.test(path)

/** The description of a policy in a file, and the path of its network. @throws ControllerError */
export async function policyParts(
  file: string,
  path: string,
  files: PolicyFiles,
): Promise<{ stated: Record<string, unknown>; network: string }> {
  if (path.endsWith('.onnx')) return { stated: {}, network: path }
  const { parse } = await import('yaml')
  try {
    const { network, ...stated } = parse(new TextDecoder().decode(await files.read(path))) as Record<string, unknown>
    if (typeof network !== 'string') throw new Error('names no `network: FILE.onnx`')
    return { stated, network: files.beside(path, network) }
  } catch (error) {
    throw new ControllerError(file, `is no description of a policy: ${(error as Error).message}`, NaN, error)
  }
}

/** @unchecked @throws ControllerError for an unreadable file, and an invalid network or description */
export async function openPolicy(file: string, path: string, files: PolicyFiles): Promise<Controller> {
  const { stated, network } = await policyParts(file, path, files)
  const bytes = await files.read(network).catch((error: Error) => {
    throw new ControllerError(file, `its network ${network} ${error.message}`, NaN, error)
  })
  const { checkedDescription } = await import('./description.ts') // with zod, which is rarely needed
  const graph = readOnnx(bytes, network)
  return policy(graph, describedBy(graph, checkedDescription(stated, file), file), file) as Controller
}
