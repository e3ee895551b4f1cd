import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { decodeBase64 } from '../interface/base64-text.ts'
import { call, type Contents, type PasswordPolicy, type ReadObject } from '../interface/calls.ts'
import { filePatienceMs } from '../interface/transport.ts'
import { useTemplateListTranslation, usePolicyTranslation, useTemplateTranslation } from '../words/translated-names.ts'

export const useVaults = () =>
  useQuery({ queryKey: ['vaults'], queryFn: ({ signal }) => call('vault.list', { signal }) })

/**
 * A vault of the person's list. A list without it may be older than its sharing, so that it is read once more before
 * `isSought` says that the vault is not there.
 */
export function useVault(vaultid: string | undefined) {
  const { data, error, refetch } = useVaults()
  const [soughtId, setSoughtId] = useState<string>()
  const vault = data?.VAULTS.find(({ id }) => id === vaultid)
  const isMissing = data !== undefined && vaultid !== undefined && vault === undefined
  useEffect(() => {
    if (isMissing) void refetch({ cancelRefetch: false }).finally(() => setSoughtId(vaultid))
  }, [isMissing, vaultid, refetch])
  return { vault, error, refetch, isSought: vault !== undefined || (isMissing && soughtId === vaultid) }
}

export const useContents = (vaultid: string): UseQueryResult<Contents> =>
  useQuery({
    queryKey: ['vault', vaultid],
    queryFn: ({ signal }) => call('vault.read', { params: { vaultid }, signal }),
    select: useTemplateTranslation(),
  })

/** Number of earlier versions of an object that a vault keeps by default. */
export const defaultHistory = '10'

/** The most objects that are drawn, and therefore asked for. */
export const mostFound = 200
export const leastSearched = 2
/** The interface accepts no longer text. */
export const mostSearched = 255

/**
 * Objects of all vaults whose name or open fields contain the text. The previous result stays until the answer arrives.
 */
export const useFound = (text: string) =>
  useQuery({
    queryKey: ['found', text],
    enabled: text.length >= leastSearched,
    queryFn: ({ signal }) => call('object.find', { query: { needle: text, limit: String(mostFound) }, signal }),
    select: useTemplateTranslation(),
    ...(text.length >= leastSearched && { placeholderData: keepPreviousData }),
  })

/** The templates of the appliance, untranslated. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await call('template.list', { signal })).TEMPLATE,
})

export const useListedTemplates = () => useQuery({ ...templatesQuery, select: useTemplateListTranslation() })

const policiesQuery = queryOptions({
  queryKey: ['policies'],
  async queryFn({ signal }): Promise<readonly PasswordPolicy[]> {
    const { CALLINFO } = await call('utils.policies', { signal })
    return CALLINFO?.policies ?? []
  },
})
export const usePolicies = () => useQuery({ ...policiesQuery, staleTime: Infinity, select: usePolicyTranslation() })

/** An object with its open values, followed by the objects inside it where the person may list them. */
export const useObject = (objectid: string): UseQueryResult<ReadObject> =>
  useQuery({
    queryKey: ['object', objectid],
    async queryFn({ signal }) {
      const read = await call('object.read', { params: { objectid }, signal })
      if (read.OBJECT[0]?.children === '0') return read
      const query = { children: true }
      return call('object.read', { params: { objectid }, query, signal }).catch(() => read)
    },
    select: useTemplateTranslation(),
  })

/**
 * Resolves to one secret of an object. The call decrypts all of its secrets and leaves an audit record of each. Only
 * the requested one is returned, and none is cached.
 */
export async function readSecret(objectid: string, field: string, signal: AbortSignal): Promise<string> {
  const { OBJECT } = await call('object.read', { params: { objectid }, query: { decrypt: true }, signal })
  return OBJECT[0]?.crypted?.[field] ?? ''
}

/** Resolves to the content of an object's file. */
export async function readFile(objectid: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const query = { filedata: true }
  const patienceMs = filePatienceMs
  const { FILEDATA = '' } = await call('object.read', { params: { objectid }, query, signal, patienceMs })
  return decodeBase64(FILEDATA)
}
