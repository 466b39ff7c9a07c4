import { describe } from 'vitest'
import { kelvinVoigt } from '../../../docs/examples/kelvinVoigt.ts'
import { because, type Exception, full } from './law.ts'
import { contactLaws } from './laws.ts'
import { register } from './register.ts'

register('kelvin-voigt', kelvinVoigt)

const implicit = "the closed form is for steps that follow the rebound; the spring's implicit Euler step damps it by O(h)"
const except: Record<string, Exception> = {
  ...because(
    implicit,
    'an elastic ball neither gains nor loses 1 % of its energy in 100 bounces',
    'two bodies that meet head-on part at (m1 v1 + m2 v2 ± m e (v1 - v2)) / (m1 + m2)',
    'a rod that falls flat on one end gets the impulse (1 + e) m v / (1 + 3 cos²)',
    'an arm is struck as by its effective mass, 1 / (J M⁻¹ Jᵀ), and keeps what lies across',
  ),
  ...because(
    'the law expects springs to creep by regularised friction; this friction holds',
    'a block on a slope starts to slide at atan(mu), and slides at g (sin - mu cos)',
  ),
  ...because(
    'it steps by implicit Euler, whatever the integrator',
    'under RK4 a block on a spring follows its damped oscillation to order 4',
  ),
  ...because(
    'its stiffness is for the weight of the heavier of two, a fifth of what the lowest carries',
    'ten boxes of 1 kg and 1000 kg by turns stand for a minute, whichever is the lowest',
  ),
  ...because(
    'asks springs for their option stickSpeed',
    'a rod that strikes the ground with its end gains no energy, wherever friction turns its slip',
  ),
}

describe('kelvin-voigt, the example of a new law', () => {
  contactLaws('kelvin-voigt', 'one body', { except }, full ? undefined : 3)
  if (full) contactLaws('kelvin-voigt', 'several bodies', { except })
})
