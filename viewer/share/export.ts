import { AnimationClip, Group, Matrix4, Quaternion, QuaternionKeyframeTrack, Vector3, VectorKeyframeTrack } from 'three'
import { createData, createState, kinematics } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Snapshot } from '../runs/protocol.ts'
import type { BodyVisual } from '../stage/bodyVisuals.ts'
import { createShapeMesh, placement } from '../stage/shapeMeshes.ts'

/** Hands a file to the user. */
export function save(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/**
 * The robot by its file's visuals, or where it has none its collision shapes, with the recorded run as an animation: binary glTF, y upwards,
 * a node for each body.
 *
 * @throws Error for data that glTF lacks
 */
export async function gltfOf(
  robot: Robot,
  visuals: readonly (BodyVisual | undefined)[],
  record: readonly Snapshot[],
): Promise<ArrayBuffer> {
  const { GLTFExporter } = await import('three/addons/exporters/GLTFExporter.js')
  const { model } = robot
  const root = new Group()
  root.name = robot.name
  root.rotation.x = -Math.PI / 2 // ours has z upwards
  const nodes = model.bodyName.map((name, body) => {
    const node = new Group()
    // names of nodes may hold no such characters, as animations name their targets by paths
    node.name = name.replaceAll(/[[\]./:]/g, '_')
    for (const mesh of visuals[body]?.meshes ?? []) node.add(mesh.clone())
    root.add(node)
    return node
  })
  if (visuals.every((visual) => visual === undefined)) {
    for (const { shape, body, R, p } of robot.shapes) {
      const drawn = createShapeMesh(shape, '#8f979e', 0.01)
      placement(drawn.matrix, R, p)
      drawn.matrix.decompose(drawn.position, drawn.quaternion, drawn.scale)
      nodes[body].add(drawn)
    }
  }
  const times = record.map(({ t }) => t - record[0].t)
  const [state, data] = [createState(model), createData(model)]
  const places = nodes.map(() => ({ positions: [] as number[], turns: [] as number[] }))
  const [matrix, position, turn, scale] = [new Matrix4(), new Vector3(), new Quaternion(), new Vector3()]
  for (const { q } of record) {
    state.q.set(q)
    kinematics(model, state, data)
    nodes.forEach((node, body) => {
      placement(matrix, data.R_WB[body], data.p_WB[body])
      matrix.decompose(position, turn, scale)
      places[body].positions.push(...position.toArray())
      places[body].turns.push(...turn.toArray())
      node.position.copy(position)
      node.quaternion.copy(turn)
    })
  }
  const tracks = nodes.flatMap((node, body) =>
    body === 0
      ? []
      : [
          new VectorKeyframeTrack(`${node.name}.position`, times, places[body].positions),
          new QuaternionKeyframeTrack(`${node.name}.quaternion`, times, places[body].turns),
        ],
  )
  const animations = record.length > 1 ? [new AnimationClip('run', -1, tracks)] : []
  return (await new GLTFExporter().parseAsync(root, { binary: true, animations, onlyVisible: false })) as ArrayBuffer
}

/** Film of the canvas from now on, as WebM in the best codec that the browser has. */
export class Film {
  private readonly recorder: MediaRecorder
  private readonly parts: Blob[] = []

  /** @throws Error where the browser records no canvas */
  constructor(canvas: HTMLCanvasElement) {
    const types = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4']
    const mimeType = typeof MediaRecorder === 'undefined' ? undefined : types.find((type) => MediaRecorder.isTypeSupported(type))
    if (mimeType === undefined)
      throw new Error('This browser records no video of a canvas; save pictures, or take another browser.')
    this.recorder = new MediaRecorder(canvas.captureStream(60), { mimeType, videoBitsPerSecond: 12e6 })
    this.recorder.ondataavailable = ({ data }) => this.parts.push(data)
    this.recorder.start()
  }

  /** @returns the film, and how a file of it ends */
  end(): Promise<{ readonly blob: Blob; readonly extension: string }> {
    return new Promise((resolve) => {
      const { recorder, parts } = this
      recorder.onstop = () => {
        const { mimeType } = recorder
        resolve({ blob: new Blob(parts, { type: mimeType }), extension: mimeType.startsWith('video/mp4') ? 'mp4' : 'webm' })
      }
      recorder.stop()
    })
  }
}
