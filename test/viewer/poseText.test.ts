import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseScenario } from '../../compare/index.ts'
import { loadExamined } from '../../robots/index.ts'
import { poseAsSrdf, poseAsYaml, rpyOf, setRpy } from '../../viewer/interaction/poseText.ts'

const file = fileURLToPath(new URL('../../robots/own/quadruped/quadruped.urdf', import.meta.url))
const text = readFileSync(file, 'utf8')
const { robot } = loadExamined(text, { file })
const q = robot.home.slice()
q.set([0.25, -0.5, 0.75])
setRpy(q, [0.3, -0.2, 2])
robot.joints.forEach(({ qIndex, vIndex }, j) => {
  q[qIndex] = robot.model.lower[vIndex] + (0.1 + 0.05 * j) * (robot.model.upper[vIndex] - robot.model.lower[vIndex])
})

test('roll, pitch and yaw are those of the quaternion', () => {
  const [roll, pitch, yaw] = rpyOf(q)
  expect(roll).toBeCloseTo(0.3, 12)
  expect(pitch).toBeCloseTo(-0.2, 12)
  expect(yaw).toBeCloseTo(2, 12)
})

test('a pose copied as SRDF is read as the same configuration', () => {
  const srdf = { text: `<robot name="quadruped">${poseAsSrdf(robot, q)}</robot>`, file: 'quadruped.srdf' }
  const [pose] = loadExamined(text, { file, srdf }).robot.poses
  expect(pose.name).toBe('pose')
  for (let k = 0; k < q.length; k++) expect(pose.q[k]).toBeCloseTo(q[k], 5)
})

test('a pose copied as YAML is the start of a scenario', async () => {
  const { start } = await parseScenario(`robot: quadruped\n${poseAsYaml(robot, q)}`, 'pose.yaml')
  for (const { name, qIndex } of robot.joints) expect(start.joints[name]).toBeCloseTo(q[qIndex], 5)
  expect(start.position).toEqual([0.25, -0.5, 0.75])
  ;[0.3, -0.2, 2].forEach((angle, k) => {
    expect(start.rpy?.[k]).toBeCloseTo(angle, 5)
  })
})
