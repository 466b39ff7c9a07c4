import {
  BasicShadowMap,
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  NeutralToneMapping,
  type Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js'
import { ballAround } from './ballAround.ts'
import type { Theme } from './palette.ts'

/** Where the camera stands at first, seen from the robot: in front, to its right, a little above. */
const viewDirection = new Vector3(1, -0.85, 0.42).normalize()
/** From left to right as it stands there. */
export const across = new Vector3(0.85, 1, 0).normalize()
/** Of a robot that the camera follows, in radii of what was framed. */
const FARTHEST = 3
const sunDirection = new Vector3(0.45, -0.55, 1).normalize()

/** A part of the picture of its own. */
export interface Pane {
  /** Makes its own objects visible, and none of the others. */
  enter(): void
  /** How far aside the camera stands from where it stands for the first [m]. */
  readonly shift: Vector3
}

/** Columns and rows of so many panes in a picture of this shape: those that leave each the most room. */
export function paneGrid(count: number, width: number, height: number): { readonly columns: number; readonly rows: number } {
  let best = { columns: 1, rows: count, side: 0 }
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns)
    const side = Math.min(width / columns, height / rows)
    if (side > best.side) best = { columns, rows, side }
  }
  return best
}

/** Renderer, camera, lights and ground. z is up; lengths are metres. */
export class Stage {
  readonly scene = new Scene()
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 500)
  readonly orbit: OrbitControls
  private readonly renderer: WebGLRenderer
  private readonly sun = new DirectionalLight(0xffffff, 2.6)
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f96, 0.35)
  private readonly ground: Ground
  private radius = 1
  /** Panes that the picture is split into, one behind the other by rows. */
  private paneCount = 1
  private drawing: WebGLSync | null = null
  /** Whether the machine draws without a graphics card; then we ask less of it. */
  private readonly software: boolean
  /** Whether anything is drawn at all: not with `?quality=none`, for tests without pictures. */
  private readonly draws: boolean
  private readonly followed = new Vector3(Number.NaN)
  /** Whether the camera stands where `frame` put it, but for what it follows; else a user has moved it. */
  isFramed = true
  /** Camera's distance and spread of what it follows, as they were framed [m]. */
  private framed = { distance: 1, spread: Number.NaN }

  /** @throws Error if the browser has no WebGL 2 */
  constructor(canvas: HTMLCanvasElement) {
    const quality = new URLSearchParams(location.search).get('quality')
    this.draws = quality !== 'none'
    // `?quality=high` draws as on a graphics card, however long that takes
    const software = quality !== 'high' && (!this.draws || isSoftware())
    this.renderer = new WebGLRenderer({ canvas, antialias: !software })
    this.software = software
    this.renderer.shadowMap.enabled = true
    this.renderer.shadowMap.type = this.software ? BasicShadowMap : PCFShadowMap
    this.renderer.toneMapping = NeutralToneMapping
    this.camera.up.set(0, 0, 1)
    this.camera.position.copy(viewDirection).multiplyScalar(3)
    this.orbit = new OrbitControls(this.camera, canvas)
    this.orbit.enableDamping = true
    this.orbit.dampingFactor = 0.12
    this.orbit.zoomToCursor = true
    this.orbit.maxPolarAngle = Math.PI * 0.98
    this.orbit.addEventListener('start', () => {
      this.isFramed = false
    })

    if (!software) {
      const generator = new PMREMGenerator(this.renderer)
      this.scene.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture
      this.scene.environmentRotation.set(Math.PI / 2, 0, 0) // its room has y up
      this.scene.environmentIntensity = 0.55
      generator.dispose()
    }

    this.sun.castShadow = true
    this.sun.shadow.mapSize.setScalar(this.software ? 1024 : 2048)
    this.sun.shadow.radius = 3
    this.ground = new Ground()
    this.scene.add(this.ground.mesh, this.sun, this.sun.target, this.sky)
  }

  setTheme(theme: Theme): void {
    this.scene.background = new Color(theme.background)
    this.ground.setTheme(theme)
    this.sky.intensity = (this.software ? 1.9 : 0.35) * theme.skyLight // in place of the room's light
    this.sun.intensity = 2.6 * theme.skyLight
  }

  /** Where the ground lies [m]; null: there is none. */
  setGround(height: number | null): void {
    this.ground.setHeight(height)
  }

  /** Fits the drawing to its element on the page. Cheap when nothing has changed. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement
    const ratio = this.software ? 0.75 : Math.min(window.devicePixelRatio, 2)
    const size = this.renderer.getSize(new Vector2())
    if (width === 0 || height === 0) return
    const { columns, rows } = this.grid
    const aspect = width / columns / (height / rows)
    if (this.camera.aspect !== aspect) {
      this.camera.aspect = aspect
      this.camera.updateProjectionMatrix()
    }
    if (size.x === width && size.y === height && this.renderer.getPixelRatio() === ratio) return
    this.renderer.setPixelRatio(ratio)
    this.renderer.setSize(width, height, false)
  }

  /** Of its panes. */
  get grid(): { readonly columns: number; readonly rows: number } {
    const { clientWidth, clientHeight } = this.renderer.domElement
    return paneGrid(this.paneCount, clientWidth, clientHeight)
  }

  /** Into how many panes the next picture is split. */
  setPanes(count: number): void {
    this.paneCount = Math.max(1, count)
    this.resize()
  }

  /** Radius of the smallest ball about an object [m]; 1 if there is nothing to be seen of it. */
  sizeOf(object: Object3D): number {
    return Math.max(ballAround(object)?.radius ?? 1, 0.01)
  }

  /**
   * Moves the camera so that all of the object is seen, whatever the shape of the window.
   *
   * @param positions of its parts, as `track` will be told them
   */
  frame(object: Object3D, positions: readonly Vector3[] = []): void {
    const ball = ballAround(object)
    if (!ball) return
    const { center, radius } = ball
    this.radius = Math.max(radius, 0.05)
    this.resize()
    const distance = this.fittingDistance(object, center)
    this.orbit.target.copy(center)
    this.camera.position.copy(viewDirection).multiplyScalar(distance).add(center)
    this.camera.near = this.radius / 100
    this.camera.far = this.radius * 400
    this.camera.updateProjectionMatrix()
    this.orbit.minDistance = this.radius / 10
    this.orbit.maxDistance = this.radius * 60
    this.orbit.update()
    const { middle, spread } = middleOf(positions)
    this.followed.copy(middle)
    this.isFramed = true
    this.framed = { distance, spread }
    this.ground.setScale(this.radius)
    const { shadow } = this.sun
    const reach = this.radius * 2.8
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: this.radius * 20 })
    shadow.camera.updateProjectionMatrix()
    shadow.normalBias = this.radius * 0.004
  }

  /** From which all of an object is seen, looking at `center`: by the ball around it, or where that is too far by its box [m]. */
  private fittingDistance(object: Object3D, center: Vector3): number {
    const half = (this.camera.fov * Math.PI) / 360
    const height = Math.tan(half)
    const width = height * this.camera.aspect
    const ball = (this.radius / Math.sin(Math.atan(Math.min(height, width)))) * 1.02
    const right = new Vector3().crossVectors(this.camera.up, viewDirection).normalize()
    const up = new Vector3().crossVectors(viewDirection, right)
    const box = new Box3().setFromObject(object)
    const corner = new Vector3()
    let needed = 0
    for (let i = 0; i < 8; i++) {
      corner.set(
        ...(([0, 1, 2] as const).map((k) => (i & (1 << k) ? box.max : box.min).getComponent(k)) as [number, number, number]),
      )
      corner.sub(center)
      const aside = Math.max(Math.abs(corner.dot(right)) / width, Math.abs(corner.dot(up)) / height)
      needed = Math.max(needed, aside + corner.dot(viewDirection))
    }
    return Math.min(ball, needed * 1.12)
  }

  /** Tells where the robots are: light goes with them, and so does the camera if `follow`, farther off as they part unless a user has moved it. */
  track(positions: readonly Vector3[], follow: boolean): void {
    // one that flies off does not take the camera with it
    const near = positions.filter((position) => !(position.distanceTo(this.followed) > FARTHEST * this.radius))
    const { middle, spread } = middleOf(near.length > 0 ? near : positions.slice(0, 1))
    if (Number.isNaN(middle.x)) return
    if (Number.isNaN(this.framed.spread)) this.framed.spread = spread
    if (follow && !Number.isNaN(this.followed.x)) {
      const moved = new Vector3().subVectors(middle, this.followed)
      this.camera.position.add(moved)
      this.orbit.target.add(moved)
      if (this.isFramed) {
        const away = this.camera.position.sub(this.orbit.target)
        away.setLength(this.framed.distance * Math.max(1, 1 + (1.4 * (spread - this.framed.spread)) / this.radius))
        this.camera.position.add(this.orbit.target)
      }
    }
    this.followed.copy(middle)
    this.sun.target.position.copy(middle)
    this.sun.position
      .copy(sunDirection)
      .multiplyScalar(this.radius * 8)
      .add(middle)
  }

  /** @param panes as many as `setPanes` said, or none */
  render(panes: readonly Pane[] = []): void {
    this.resize()
    this.orbit.update()
    this.ground.center(this.orbit.target, this.camera.position.distanceTo(this.orbit.target))
    if (!this.draws) {
      // of the work of a picture, clicks and labels depend on this alone
      this.scene.updateMatrixWorld()
      this.camera.updateMatrixWorld()
      return
    }
    if (this.paneCount > 1 && panes.length > 1) this.renderPanes(panes)
    else this.renderer.render(this.scene, this.camera)
    const context = this.renderer.getContext() as WebGL2RenderingContext
    this.drawing = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0)
    context.flush()
  }

  private renderPanes(panes: readonly Pane[]): void {
    const { renderer, camera, sun } = this
    const { columns, rows } = this.grid
    const { clientWidth, clientHeight } = renderer.domElement
    const [width, height] = [clientWidth / columns, clientHeight / rows]
    const eye = camera.position.clone()
    const light = [sun.position.clone(), sun.target.position.clone()] as const
    renderer.setScissorTest(true)
    panes.forEach(({ enter, shift }, i) => {
      const left = (i % columns) * width
      const bottom = (rows - 1 - Math.floor(i / columns)) * height
      renderer.setViewport(left, bottom, width, height)
      renderer.setScissor(left, bottom, width - 1, height - 1) // a line of the last picture's background between them
      camera.position.addVectors(eye, shift)
      sun.position.addVectors(light[0], shift)
      sun.target.position.addVectors(light[1], shift)
      enter()
      renderer.render(this.scene, camera)
    })
    camera.position.copy(eye)
    sun.position.copy(light[0])
    sun.target.position.copy(light[1])
    renderer.setScissorTest(false)
    renderer.setViewport(0, 0, clientWidth, clientHeight)
  }

  /** Whether the last picture is finished. A slow machine that is sent one after the other anyway falls behind for good. */
  get ready(): boolean {
    if (!this.drawing) return true
    const context = this.renderer.getContext() as WebGL2RenderingContext
    if (context.getSyncParameter(this.drawing, context.SYNC_STATUS) !== context.SIGNALED) return false
    context.deleteSync(this.drawing)
    this.drawing = null
    return true
  }

  /** Shadows cost a second picture of all that casts them. */
  set shadows(isOn: boolean) {
    this.sun.castShadow = isOn
  }

  /**
   * Where a point [m] is on the canvas, from its upper left corner [px]; undefined behind the camera.
   *
   * @param shift of the pane's camera against the first's, see `Pane`
   */
  onCanvas(point: Vector3, pane = 0, shift?: Vector3): readonly [x: number, y: number] | undefined {
    const { clientWidth, clientHeight } = this.renderer.domElement
    const { columns, rows } = this.grid
    this.camera.updateMatrixWorld() // it may have moved since the last picture
    const seen = point.clone()
    if (shift) seen.sub(shift)
    seen.project(this.camera)
    if (Math.abs(seen.z) > 1) return undefined
    const x = (0.5 * (seen.x + 1) + (pane % columns)) / columns
    const y = (0.5 * (1 - seen.y) + Math.floor(pane / columns)) / rows
    return [x * clientWidth, y * clientHeight]
  }

  /** How many pixels of the page a metre takes at the camera's target. */
  get pixelsPerMetre(): number {
    const distance = this.camera.position.distanceTo(this.orbit.target)
    return this.renderer.domElement.clientHeight / this.grid.rows / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360))
  }
}

/** Middle of positions, NaN of none, and half of their box's diagonal [m]. */
function middleOf(positions: readonly Vector3[]): { readonly middle: Vector3; readonly spread: number } {
  const box = new Box3().setFromPoints([...positions])
  if (box.isEmpty()) return { middle: new Vector3(Number.NaN), spread: Number.NaN }
  return { middle: box.getCenter(new Vector3()), spread: 0.5 * box.getSize(new Vector3()).length() }
}

function isSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  const details = context?.getExtension('WEBGL_debug_renderer_info')
  const name = context && details ? String(context.getParameter(details.UNMASKED_RENDERER_WEBGL)) : ''
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name)
}

/** A plane that takes shadows, with lines a metre and a tenth of a metre apart that fade into the background. */
class Ground {
  readonly mesh: Mesh
  private readonly uniforms = {
    gridMinor: { value: new Color() },
    gridMajor: { value: new Color() },
    fadeCenter: { value: new Vector2() },
    fadeRadius: { value: 10 },
    minorPeriod: { value: 0.1 },
  }
  private readonly material = new MeshLambertMaterial({ transparent: true })
  private height = 0

  constructor() {
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms)
      shader.vertexShader = `varying vec2 vGround;\n${shader.vertexShader}`.replace(
        '#include <begin_vertex>',
        '#include <begin_vertex>\nvGround = (modelMatrix * vec4(position, 1.0)).xy;',
      )
      shader.fragmentShader = `
        varying vec2 vGround;
        uniform vec3 gridMinor, gridMajor;
        uniform vec2 fadeCenter;
        uniform float fadeRadius, minorPeriod;
        // 1 on a line of the given width in pixels; fades where lines get closer than a few pixels
        float gridLine(float period, float width) {
          vec2 pixel = fwidth(vGround);
          vec2 distance = abs(fract(vGround / period - 0.5) - 0.5) * period / pixel;
          vec2 line = 1.0 - clamp(distance - (width - 1.0) * 0.5, 0.0, 1.0);
          vec2 visible = smoothstep(3.0, 10.0, period / pixel);
          return max(line.x * visible.x, line.y * visible.y);
        }
        ${shader.fragmentShader}`.replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        diffuseColor.rgb = mix(diffuseColor.rgb, gridMinor, gridLine(minorPeriod, 1.0));
        diffuseColor.rgb = mix(diffuseColor.rgb, gridMajor, gridLine(minorPeriod * 10.0, 1.5));
        diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, distance(vGround, fadeCenter) / fadeRadius);`,
      )
    }
    this.mesh = new Mesh(new PlaneGeometry(1, 1), this.material)
    this.mesh.receiveShadow = true
    this.mesh.renderOrder = -1
  }

  setTheme({ ground, gridMinor, gridMajor }: Theme): void {
    this.material.color.set(ground)
    this.material.emissive.set(ground).multiplyScalar(0.15)
    this.uniforms.gridMinor.value.set(gridMinor)
    this.uniforms.gridMajor.value.set(gridMajor)
  }

  setHeight(height: number | null): void {
    this.mesh.visible = height !== null
    this.height = height ?? 0
  }

  setScale(radius: number): void {
    this.uniforms.minorPeriod.value = radius > 3 ? 1 : 0.1
  }

  center(target: Vector3, viewDistance: number): void {
    const radius = viewDistance * 5
    this.uniforms.fadeCenter.value.set(target.x, target.y)
    this.uniforms.fadeRadius.value = radius
    this.mesh.position.set(target.x, target.y, this.height)
    this.mesh.scale.setScalar(2 * radius)
  }
}
