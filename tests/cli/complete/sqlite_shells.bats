#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real shells, with what a person types: what stands on the line after TAB, and what the shell would run.

setup_file() {
  load ../kit
  with_tables
  local name
  for name in job:nightly job:hourly jobless 'my lock' 'st*r' "dol\$lar" ns:a:one ns:a:two; do
    dblock -q run "$name" true
  done
}

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  mkdir folder
  echo text >folder/file-of-ours
}

# types KEYS: prints each word of the line as <word>. \001 goes to the beginning of the line.
bash_types() {
  printf 'eval "$(dblock complete bash)"\n%b\001printf "<%%s>" \n' "$1" |
    INPUTRC=/dev/null TERM=dumb timeout 300 bash --norc --noprofile -i 2>/dev/null | sed -n '/^</s/>[^>]*$/>/p'
}

zsh_types() {
  TERM=dumb timeout 300 zsh -f -s -- "$(printf %b "$1")" <<'END' | sed -n 's/^\r*\(<.*>\).*/\1/p'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; PROMPT_SP=; autoload -Uz compinit; compinit -u -D; eval "$(dblock complete zsh)"'
zpty -n -w shell "$1"$'\C-aprintf "<%s>" \C-m'
zpty -n -w shell $'exit\C-m'
while zpty -r shell line; do print -r -- "$line"; done
END
}

# fish prints what it would offer.
fish_offers() {
  XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD timeout 300 fish --no-config -c \
    'dblock complete fish | source; complete -C $argv[1]' "$1" | cut -f 1 | paste -sd ,
}

@test "bash: commands, options, names, files, another program" {
  equal "$(bash_types 'dblock migr\t')" '<dblock><migrate>'
  equal "$(bash_types 'dblock migrate base\t')" '<dblock><migrate><baseline>'
  equal "$(bash_types 'dblock run x --confl\t')" '<dblock><run><x><--conflict-exit-code>'
  equal "$(bash_types 'dblock show jobl\t')" '<dblock><show><jobless>'
  equal "$(bash_types 'dblock show nothing-like-it\t')" '<dblock><show><nothing-like-it>'
  equal "$(bash_types 'dblock migrate dump folder/fi\t')" '<dblock><migrate><dump><folder/file-of-ours>'
  equal "$(bash_types 'dblock migrate up --dump=folder/fi\t')" '<dblock><migrate><up><--dump=folder/file-of-ours>'
  equal "$(bash_types 'dblock migrate -d fol\t')" '<dblock><migrate><-d><folder/>'
  equal "$(bash_types 'dblock run x -- mktem\t')" '<dblock><run><x><--><mktemp>'
  equal "$(bash_types 'dblock run x cat folder/fi\t')" '<dblock><run><x><cat><folder/file-of-ours>'
}

@test "bash: names with colons, blanks and the shell's own characters" {
  equal "$(bash_types 'dblock show job:n\t')" '<dblock><show><job:nightly>'
  equal "$(bash_types 'dblock show "job:n\t')" '<dblock><show><job:nightly>'
  equal "$(bash_types 'dblock run --also=job:n\t')" '<dblock><run><--also=job:nightly>'
  equal "$(bash_types 'dblock show ns:\t')" '<dblock><show><ns:a:>'
  equal "$(bash_types 'dblock show ns:a:\tt\t')" '<dblock><show><ns:a:two>'
  equal "$(bash_types 'dblock show my\t')" '<dblock><show><my lock>'
  equal "$(bash_types 'dblock show "my\t')" '<dblock><show><my lock>'
  equal "$(bash_types 'dblock show my\\ l\t')" '<dblock><show><my lock>'
  equal "$(bash_types 'dblock show st\t')" '<dblock><show><st*r>'
  equal "$(bash_types 'dblock show dol\t')" '<dblock><show><dol$lar>'
  equal "$(bash_types 'dblock show job\033*')" '<dblock><show><job:hourly><job:nightly><jobless>'
}

@test "bash: what is typed is never run" {
  bash_types 'dblock show $(touch run)\t' >/dev/null
  rm -f run # by the line itself, in the end
  printf 'eval "$(dblock complete bash)"\ndblock show $(touch run) `touch run` jo\t\025\n' |
    INPUTRC=/dev/null TERM=dumb bash --norc --noprofile -i >/dev/null 2>&1
  [ ! -e run ]
}

@test "zsh" {
  equal "$(zsh_types 'dblock migr\t')" '<dblock><migrate>'
  equal "$(zsh_types 'dblock run x --confl\t')" '<dblock><run><x><--conflict-exit-code>'
  equal "$(zsh_types 'dblock show job:n\t')" '<dblock><show><job:nightly>'
  equal "$(zsh_types 'dblock run --also=job:n\t')" '<dblock><run><--also=job:nightly>'
  equal "$(zsh_types 'dblock show my\t')" '<dblock><show><my lock>'
  equal "$(zsh_types 'dblock show "my\t')" '<dblock><show><my lock>'
  equal "$(zsh_types 'dblock show st\t')" '<dblock><show><st*r>'
  equal "$(zsh_types 'dblock show dol\t')" '<dblock><show><dol$lar>'
  equal "$(zsh_types 'dblock show nothing-like-it\t')" '<dblock><show><nothing-like-it>'
  equal "$(zsh_types 'dblock migrate dump folder/fi\t')" '<dblock><migrate><dump><folder/file-of-ours>'
  equal "$(zsh_types 'dblock migrate up --dump=folder/fi\t')" '<dblock><migrate><up><--dump=folder/file-of-ours>'
  equal "$(zsh_types 'dblock migrate -d fol\t')" '<dblock><migrate><-d><folder>' # it takes the slash back
  equal "$(zsh_types 'dblock run x -- mktem\t')" '<dblock><run><x><--><mktemp>'
}

@test "fish" {
  equal "$(fish_offers 'dblock migr')" migrate
  equal "$(fish_offers 'dblock run x --confl')" --conflict-exit-code
  equal "$(fish_offers 'dblock show job')" job:hourly,job:nightly,jobless
  equal "$(fish_offers 'dblock show "my')" 'my lock'
  equal "$(fish_offers 'dblock show my\ l')" 'my lock'
  equal "$(fish_offers 'dblock run --also=job:n')" --also=job:nightly
  equal "$(fish_offers 'dblock show nothing-like-it')" ''
  equal "$(fish_offers 'dblock migrate dump folder/fi')" folder/file-of-ours
  equal "$(fish_offers 'dblock migrate up --dump=folder/fi')" --dump=folder/file-of-ours
  equal "$(fish_offers 'dblock migrate -d fol')" folder/
  equal "$(fish_offers 'dblock run x -- mktem')" mktemp
}
