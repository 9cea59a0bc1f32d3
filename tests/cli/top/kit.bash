# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A terminal for tests of what is on a screen: tmux's. Beside ../kit.bash.

# Each file's setup calls this: a shell to come back to, which says by its prompt that it is there.
with_terminal()
{
  socket=$BATS_TEST_TMPDIR/tmux
  export DBLOCK_URL TERM=screen
  unset NO_COLOR TMUX
}

# Each file's teardown.
end_terminal()
{
  tmux -S "$socket" kill-server || true
  end_background
}

# terminal COLUMNS ROWS
terminal()
{
  tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y "$2" "PS1='ready> ' exec bash --norc --noprofile -i"
  wait_for shows 'ready>'
}

type_keys()
{
  tmux -S "$socket" send-keys "$@"
}

# Prints what is on the screen.
# shellcheck disable=SC2120 # a test gives it capture-pane's options
screen()
{
  tmux -S "$socket" capture-pane -p "$@"
}

shows()
{
  screen | grep -q -- "$1"
}

# on_line N TEXT: does line N, from 1, begin so?
on_line()
{
  [[ $(screen | sed -n "$1p") == "$2"* ]]
}

# modes TEXT: is the other screen shown, and is there a cursor? Each is 0 or 1.
modes()
{
  [ "$(tmux -S "$socket" display-message -p '#{alternate_on} #{cursor_flag}')" = "$1" ]
}

start_top()
{
  type_keys "dblock top $*" Enter
  wait_for modes "1 0"
  wait_for shows '^Shown: '
}

# Leaves it; what is typed next is the shell's.
leave_top()
{
  type_keys q
  wait_for modes "0 1"
}

# Clears the screen, and waits for that: what is on it next is of the next command.
clear_screen()
{
  type_keys clear Enter
  wait_for eval '[ "$(screen)" = "ready>" ]'
}
