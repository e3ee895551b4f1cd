import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { StoredObject } from '../interface/calls.ts'
import { isDenial } from '../interface/refusal.ts'
import { wholeObject } from '../interface/whole-object.ts'
import { inOneCase, type PlannedObject } from './planned-object.ts'

/** The vault's objects to compare an import with. `present` is undefined until they are read. */
export function usePresent(plans: readonly PlannedObject[], listed: readonly StoredObject[]) {
  // The vault before the import, so that imported objects are not their own duplicates.
  const [before] = useState(listed)
  const doubted = useMemo(() => {
    const names = new Set(plans.map(({ name }) => inOneCase(name)))
    return before.filter(({ abridged, objectname }) => abridged === true && names.has(inOneCase(objectname)))
  }, [plans, before])
  const { data, error, refetch } = useQuery({
    queryKey: ['whole', doubted.map(({ id }) => id)],
    enabled: doubted.length > 0,
    async queryFn({ signal }) {
      const whole: StoredObject[] = []
      for (const object of doubted) {
        const one = await wholeObject(object, signal).catch(unlessGone)
        if (one !== undefined) whole.push(one)
      }
      return whole
    },
  })
  const present = useMemo(
    () => (doubted.length === 0 ? before : data && [...before.filter(({ abridged }) => abridged !== true), ...data]),
    [before, doubted, data],
  )
  return { present, error, refetch }
}

/** Ignores an object that others have deleted meanwhile. */
function unlessGone(error: unknown): undefined {
  if (!isDenial(error)) throw error
}
