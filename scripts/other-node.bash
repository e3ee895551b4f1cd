# Sourced by scripts/test: runs all checks and tests on another Node.js, in a copy of this working tree with its own
# Node packages.

# Takes Node.js with its headers from the npm registry, so that no other server has to be reachable.
run_on_other_node() {
  local wanted=$1 architecture
  shift
  case $(uname -m) in
    x86_64) architecture=x64 ;;
    aarch64) architecture=arm64 ;;
    *) die "The registry has no Node.js for $(uname -m)." 'Install it yourself, and run scripts/test with it first in PATH.' ;;
  esac
  [[ $wanted =~ ^[0-9]+(\.[0-9]+)*$ ]] || die "There is no Node.js $wanted." 'Name a release, for example: scripts/test --node 24'
  need_node
  other=${XDG_CACHE_HOME:-$HOME/.cache}/strongroom-test/node-$wanted
  step "Node.js $wanted" 'Check the network and the registry (npm config get registry), then run this again.' \
    install_other_node "node-linux-$architecture@$wanted"
  step 'Copy of the checkout' "Check the free space in $other." copy_checkout
  printf '\n'
  exec env PATH="$other/bin:$PATH" npm_config_nodedir="$other/node" "$other/checkout/scripts/test" "$@"
}

install_other_node() {
  mkdir -p "$other/bin"
  npm install --silent --prefix "$other" --no-save --no-audit --no-fund "$1"
  ln -sfn "node_modules/${1%@*}" "$other/node"
  ln -sf ../node/bin/node "$other/bin/node"
  note "$("$other/bin/node" --version), in $other"
}

# The packages that were installed and compiled for it stay in the copy between runs.
copy_checkout() {
  local copy=$other/checkout
  mkdir -p "$copy"
  find "$copy" -mindepth 1 -maxdepth 1 ! -name node_modules ! -name dist -exec rm -rf '{}' +
  tar -C "$root" --exclude=./node_modules --exclude=./dist --exclude=./.git -cf - . | tar -C "$copy" -xf -
  note "$copy"
}
