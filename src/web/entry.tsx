import { QueryClient, QueryClientProvider, type Query } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { BrokenPage } from './controls/broken-page.tsx'
import { useShownAddress } from './controls/held-address.tsx'
import { delayOf, isTriedAgain } from './interface/retries.ts'
import { onLostChange } from './interface/transport.ts'
import { SessionProvider } from './session/session.tsx'
import { Shell } from './shell.tsx'
import { applyPreferences, readPreferences } from './preferences.ts'
import { PreferencesProvider } from './words/language.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // A browser guesses whether it is offline. An appliance in the same building is reachable without the Internet.
      networkMode: 'always',
      retry: isTriedAgain,
      retryDelay: delayOf,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
    },
  },
})
// People have several tabs, and others change the same lists. Objects are not among them: a record of one being read shall
// say that a person looked at it.
const lists = ['vaults', 'vault', 'trash', 'members', 'users', 'services', 'keys', 'favourites', 'tags', 'links', 'me']
for (const list of lists) queries.setQueryDefaults([list], { refetchOnWindowFocus: true })
// Positions in the tables of vaults are small and are kept until the logout, which clears all queries.
queries.setQueryDefaults(['table position'], { gcTime: Infinity })
queries.setQueryDefaults(['recent'], { gcTime: Infinity })

// A dialog may be closed while its call is under way, and an answer may be lost. Lists are then read again. What is
// recorded as a person's look is read again when the person looks at it the next time: an object, its history, its
// trail, a search in all vaults. Only an object that the change was made to is read again while it is shown.
const looks: ReadonlySet<unknown> = new Set(['object', 'whole', 'trail', 'audit', 'found'])
const isLook = ({ queryKey: [kind] }: Pick<Query, 'queryKey'>): boolean => looks.has(kind)
onLostChange((path) => {
  const [, objectid] = /^\/object\/(\d+)/.exec(path) ?? []
  void queries.invalidateQueries({ predicate: (query) => !isLook(query) })
  void queries.invalidateQueries({ predicate: isLook, refetchType: 'none' })
  if (objectid !== undefined) void queries.invalidateQueries({ queryKey: ['object', objectid], exact: true })
})

// A page from the back-forward cache shows its old content, although another person may be logged in. So it is loaded
// again.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
applyPreferences(readPreferences())
const root = document.getElementById('console')
if (root === null) throw new Error('the page has no root for the console')
createRoot(root).render(
  <StrictMode>
    <PreferencesProvider>
      <BrokenPage>
        <QueryClientProvider client={queries}>
          <SessionProvider>
            <Router hook={useShownAddress}>
              <Shell />
            </Router>
          </SessionProvider>
        </QueryClientProvider>
      </BrokenPage>
    </PreferencesProvider>
  </StrictMode>,
)
