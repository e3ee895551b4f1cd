# Sourced by steps.bash: rebuilds native modules with which some releases of Node.js abort.

# From Node.js 24.19 on, the wrapper class for objects of native modules adds a cleanup hook, and removes it when the
# object is collected. If that happens outside JavaScript, the process aborts (hooks.cc: env != nullptr). better-sqlite3
# 12 uses this class for its statements; 13 does not, but needs Node.js 22. Compiled without the hook it works as below
# 24.19.
database_module=node_modules/better-sqlite3/build/Release/better_sqlite3.node

# A build of better-sqlite3 for one major release of Node.js does not load in another. The other native modules use
# Node-API and load in all.
loads_database_module() { node -e 'new (require("better-sqlite3"))(":memory:")' >/dev/null 2>&1; }

without_cleanup_hook() { sed -e '/^ *AddCleanupHook();$/d' -e '/^ *RemoveCleanupHook();$/d' "$1"; }

mend_database_module() {
  grep -q RemoveEnvironmentCleanupHook "$database_module" || return 0
  local folder header=''
  for folder in "${npm_config_nodedir:-/usr}" "$(dirname "$(readlink -f "$(command -v node)")")/.." \
    "${XDG_CACHE_HOME:-$HOME/.cache}/node-gyp/$(node -p process.versions.node)"; do
    [ -n "$header" ] || [ ! -e "$folder/include/node/node_object_wrap.h" ] || header=$folder/include/node/node_object_wrap.h
  done
  [ -n "$header" ] || { echo 'node_object_wrap.h of this Node.js is not found: set npm_config_nodedir to where its include/node lies.'; exit 1; }
  without_cleanup_hook "$header" >"$work/node_object_wrap.h"
  CXXFLAGS="${CXXFLAGS:-} -include $work/node_object_wrap.h" npm_config_build_from_source=true npm rebuild better-sqlite3
  if grep -q RemoveEnvironmentCleanupHook "$database_module"; then
    echo "better-sqlite3 cannot be compiled for Node.js $(node --version) without aborting it: use Node.js 22."
    exit 1
  fi
}
