import { z } from 'zod'
import { holds } from '../../../access/capabilities.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Certificates } from '../registry.ts'
import { certificateForm, formOf } from './certificate-form.ts'
import { userIdOf, userParams } from '../../users/routes/user-fields.ts'

const contract = {
  operation: 'usercert.read',
  handler: 'UserCertHandler',
  method: 'GET',
  summary: 'Read the certificate of a user',
  access: { kind: 'session' },
  success: 200,
  reply: { callinfo: z.object({ certificate: certificateForm.optional() }) },
  body: z.object({}),
} as const

/** `GET /usercert` (spec: Get user certificate): one's own. */
export const readOwnCertificate = (certificates: Certificates) =>
  endpoint({
    ...contract,
    path: '/usercert',
    params: z.object({}),
    run: ({ caller }) => answer(certificates, caller.userId),
  })

/** `GET /usercert/:userid`: anybody's for an administrator; for others their own, whatever id they give. */
export const readUserCertificate = (certificates: Certificates) =>
  endpoint({
    ...contract,
    operation: 'usercert.readany',
    path: '/usercert/:userid',
    faults: ['user.not_found'],
    params: userParams,
    run({ params, caller, note }) {
      const userId = holds(caller.capabilities, 'admin') ? userIdOf(params.userid) : caller.userId
      note({ target: `user ${userId}` })
      return answer(certificates, userId)
    },
  })

async function answer(certificates: Certificates, userId: number) {
  const certificate = await certificates.of(userId)
  return certificate === undefined ? {} : { callinfo: { certificate: formOf(certificate) } }
}
