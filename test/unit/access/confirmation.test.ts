import { describe, expect, it } from 'vitest'
import { confirmersOf, operatorId } from '../../../src/access/confirmation.ts'

const admin = (userId: number, grantedBy: number | null = null, grantedAt: number | null = null) => ({
  userId,
  grantedBy,
  grantedAt,
})
const [founder, recoverer, other] = [1, 2, 3]

describe('those who may confirm a recovered member', () => {
  it('are the Admins who made none of the recoveries', () => {
    const admins = [admin(founder), admin(recoverer), admin(other)]
    expect(confirmersOf(admins, [{ by: recoverer, at: 10 }])).toEqual([founder, other])
    const both = [
      { by: recoverer, at: 10 },
      { by: founder, at: 20 },
    ]
    expect(confirmersOf(admins, both)).toEqual([other])
    expect(confirmersOf(admins, [{ by: operatorId, at: 10 }])).toEqual([founder, recoverer, other])
  })

  it('are also those whom the recoverer had made Admin before', () => {
    expect(confirmersOf([admin(other, recoverer, 9)], [{ by: recoverer, at: 10 }])).toEqual([other])
  })

  it('are not Admins whom a recoverer appointed since, nor Admins whom those appointed', () => {
    const chain = [admin(6, 5, 13), admin(5, 4, 12), admin(4, recoverer, 10), admin(other, founder, 14), admin(founder)]
    expect(confirmersOf(chain, [{ by: recoverer, at: 10 }])).toEqual([other, founder])
    expect(confirmersOf([admin(other, operatorId, 11)], [{ by: operatorId, at: 10 }])).toEqual([])
  })

  it('are none in a vault without Admins', () => {
    expect(confirmersOf([], [{ by: recoverer, at: 10 }])).toEqual([])
  })
})
