import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Objects } from '../object.ts'
import { existing, objectQuery } from '../read-records.ts'
import { objectParams, savedSchema } from './object-record.ts'

/**
 * `PUT /object/:objectid/alarm`: whether decrypting the object raises an alarm. Needs Admin, so that a member with
 * Write cannot silence it.
 */
export const setAlarm = (objects: Objects) =>
  endpoint({
    operation: 'object.alarm',
    handler: 'ObjectHandler',
    method: 'PUT',
    path: '/object/:objectid/alarm',
    summary: 'Set or clear the alarm of an object',
    details: 'With the alarm set, decrypting a field that can alarm, or the file, is told to the operator.',
    access: { kind: 'vault', permission: 'Admin', resource: objectQuery },
    reply: { callinfo: savedSchema },
    params: objectParams,
    body: z.object({ alarm: flag.describe('Whether decrypting the object raises an alarm from now on.') }),
    async run({ body: { alarm }, resource, caller, note, commit }) {
      const { object } = existing(resource)
      note({ target: `object ${object.id}: ${alarm ? 'on' : 'off'}` })
      await objects.setAlarm(object, alarm, { userId: caller.userId, commit })
      return { callinfo: { objectid: String(object.id), message: alarm ? 'Alarm set' : 'Alarm cleared' } }
    },
  })
