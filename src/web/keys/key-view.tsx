import { Crumbs } from '../controls/crumbs.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { ListedKey, SharedVault } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useVault } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import type { BenchOperation } from './bench-calls.ts'
import { Bench } from './bench.tsx'
import { KeyActions } from './key-actions.tsx'
import { keyRights, type KeyRights } from './key-rights.ts'
import { keyWords } from './key-words.ts'
import { useKey } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import './keys.css'
import { daysOfSeconds } from './new-key-draft.ts'
import { Permissions } from './permissions.tsx'
import { familyOf, purposeOf, typeName } from './type-names.ts'
import { VersionList } from './version-list.tsx'

interface Props {
  readonly vaultid: string
  readonly name: string
}

/** One key: its properties and versions, the changes that the person may make, and a bench. */
export function KeyView({ vaultid, name }: Props) {
  const { data, error, refetch } = useKey(vaultid, name)
  const { vault, ...vaults } = useVault(vaultid)
  const trouble = error ?? (vault ? undefined : vaults.error)
  if (hidesData(trouble, data && vault))
    return <NotLoaded error={trouble} onTryAgain={error ? refetch : vaults.refetch} />
  const [key] = data?.KEYS ?? []
  if (!data || !key || !vault) return <Loading />

  const rights = keyRights(vault, data.CALLINFO)
  return (
    <div className="page keys-page">
      <KeyHeading vault={vault} shown={key} />
      {trouble && <ErrorMessage error={trouble} onTryAgain={refetch} />}
      <Facts shown={key} />
      <KeyActions vaultid={vaultid} shown={key} rules={data.CALLINFO} rights={rights} />
      <Bench
        benchKey={{ vaultid, name, type: key.type }}
        versions={data.VERSIONS.map(({ key_version: version }) => version)}
        operations={operationsOf(key, rights)}
        mayOpenDataKeys={rights.mayDrawDataKeys(name)}
      />
      <VersionList vaultid={vaultid} shown={key} versions={data.VERSIONS} mayWrite={rights.mayWrite} />
    </div>
  )
}

function KeyHeading({ vault, shown }: { readonly vault: SharedVault; readonly shown: ListedKey }) {
  const own = useWordsOf(keysWords)
  const ofKey = useWordsOf(keyWords)
  return (
    <>
      <Crumbs
        path={[
          { href: `#/vault/${vault.id}`, text: vault.groupname },
          { href: `#/vault/${vault.id}/keys`, text: own.keys },
        ]}
      />
      <ViewHeading title={shown.name} kind={ofKey.key} introduction={typeName(shown.type)} />
      {shown.info !== '' && <p className="purpose">{shown.info}</p>}
    </>
  )
}

function Facts({ shown }: { readonly shown: ListedKey }) {
  const own = useWordsOf(keysWords)
  const ofKey = useWordsOf(keyWords)
  const days = Number(daysOfSeconds(shown.auto_rotate_period))
  return (
    <dl className="facts card">
      <div>
        <dt>{own.kind}</dt>
        <dd>{own.typeHelps[familyOf(shown.type)]}</dd>
      </div>
      <div>
        <dt>{ofKey.residency}</dt>
        <dd>{ofKey.residencies[shown.residency]}</dd>
      </div>
      <div>
        <dt>{own.mayDo}</dt>
        <dd>
          <Permissions of={shown} />
        </dd>
      </div>
      <div>
        <dt>{ofKey.rotates}</dt>
        <dd>{days === 0 ? ofKey.never : ofKey.everyDays(days)}</dd>
      </div>
    </dl>
  )
}

const operationsByPurpose: Readonly<Record<string, readonly Exclude<BenchOperation, 'hash' | 'random'>[]>> = {
  encryption: ['encrypt', 'decrypt', 'rewrap', 'datakey'],
  signing: ['sign', 'verify'],
  hmac: ['hmac', 'verify'],
}

const operationsOf = ({ name, type }: ListedKey, { mayUse }: KeyRights): readonly BenchOperation[] =>
  (operationsByPurpose[purposeOf(type)] ?? []).filter((operation) => mayUse(operation, name))
