@journey
Feature: Running a command without letting it touch the project
  A person at a terminal runs any command; what it changes is theirs to take or leave.

  Background:
    Given a repository with a file "README.md"

  Scenario: Run, look, apply, take back
    When I run "cleveragents run --plan greet -- sh -c 'echo hello > greeting.txt'"
    Then it ends with exit code 0
    And it prints "A greeting.txt"
    And the repository has no "greeting.txt"
    When I run "cleveragents plan diff greet"
    Then it prints "+hello"
    When I run "cleveragents plan apply greet --message 'feat: greet'"
    Then it ends with exit code 0
    And it prints "Apply Summary"
    And it prints "Worktree removed"
    And it prints "OK  Changes applied"
    And the repository has "greeting.txt" with "hello"
    And the last commit is "feat: greet"
    When I run "cleveragents plan rollback greet"
    Then it ends with exit code 0
    And the repository has no "greeting.txt"
    And git finds nothing to complain of

  Scenario: Run and apply in one go
    When I run "cleveragents run --apply -- sh -c 'echo changed > README.md'"
    Then it ends with exit code 0
    And it prints "OK  Changes applied"
    And the repository has "README.md" with "changed"
    And git finds nothing to complain of

  Scenario: A command that fails is never applied
    When I run "cleveragents run --plan broken --apply -- sh -c 'echo half > half.txt; exit 7'"
    Then it ends with exit code 7
    And it prints "nothing was applied"
    And the repository has no "half.txt"
    When I run "cleveragents plan show broken"
    Then it prints "A half.txt"

  Scenario: A plan is not taken away under a command that still runs in it
    When I run "cleveragents plan create busy"
    And I run "cleveragents plan exec busy -- sh -c '$NODE $CLI plan apply busy; echo ended with $?; $NODE $CLI plan cleanup busy; echo late > late.txt'"
    Then it prints "ended with 3"
    And it complains "Work still goes on in plan"
    When I run "cleveragents plan apply busy"
    Then it ends with exit code 0
    And the repository has "late.txt" with "late"

  Scenario: A command that is not there leaves nothing behind
    When I run "cleveragents run -- no-such-command"
    Then it ends with exit code 127
    And it complains "could not be started"
    And git knows one work tree

  Scenario: A command runs where its caller stands
    Given the repository has a file "src/app/main.ts"
    When I run "cleveragents run --project src/app --discard -- sh -c 'pwd; echo $CLEVERAGENTS_PLAN; ls'"
    Then it ends with exit code 0
    And it prints "/src/app"
    And it prints "main.ts"
    And git knows one work tree

  Scenario: A change of mine is never overwritten
    Given my uncommitted change of "README.md"
    When I run "cleveragents run --plan clash --apply -- sh -c 'echo theirs > README.md'"
    Then it ends with exit code 3
    And it complains "README.md has changes that are not committed"
    And it complains "hint:"
    And the repository has "README.md" with "mine"
    When I run "cleveragents plan apply clash --dry-run"
    Then it ends with exit code 3
    And it prints "in the way: README.md has changes that are not committed"

  Scenario: A conflict is resolved in the sandbox
    When I run "cleveragents run --plan conflict --keep -- sh -c 'echo theirs > README.md'"
    And I commit "mine" to "README.md"
    And I run "cleveragents plan apply conflict"
    Then it ends with exit code 3
    And it complains "plan refresh"
    When I run "cleveragents plan refresh conflict"
    Then it ends with exit code 0
    And it prints "README.md (content)"
    When I run "cleveragents plan exec conflict -- sh -c 'echo both > README.md'"
    And I run "cleveragents plan apply conflict"
    Then it ends with exit code 0
    And the repository has "README.md" with "both"
    And git finds nothing to complain of

  Scenario: Discarded work can be fetched back
    When I run "cleveragents run --plan lost --discard -- sh -c 'echo precious > precious.txt'"
    Then it prints "kept for 30 days: `cleveragents plan restore lost`"
    When I run "cleveragents plan list --rescued"
    Then it prints "refs/cleveragents/rescue/lost-"
    When I run "cleveragents plan restore lost"
    And I run "cleveragents plan apply lost"
    Then it ends with exit code 0
    And the repository has "precious.txt" with "precious"

  Scenario: Programs get one JSON object
    When I run "cleveragents run --json --plan machine --apply -- sh -c 'echo noise; echo hello > greeting.txt'"
    Then it ends with exit code 0
    And it prints one JSON object where "commandExitCode" is "0" and "decision" is "applied"
    When I run "cleveragents plan show nobody --json"
    Then it ends with exit code 4
    And it prints one JSON object where "error.code" is "PLAN_NOT_FOUND" and "exitCode" is "4"

  Scenario Outline: What cannot be meant is explained
    When I run "<command line>"
    Then it ends with exit code <code>
    And it complains "<words>"

    Examples:
      | command line                                      | code | words                 |
      | cleveragents run                                  | 2    | missing required      |
      | cleveragents run --apply --keep -- true           | 2    | at most one           |
      | cleveragents nonsense                             | 2    | unknown command       |
      | cleveragents plan apply                           | 2    | no plan               |
      | cleveragents plan show nobody                     | 4    | There is no plan      |
      | cleveragents run --project /no/such/place -- true | 4    | There is no project   |
      | cleveragents run --timeout never -- true          | 2    | must be a positive    |

  Scenario Outline: A plan id is a name, whatever it looks like
    When I run "cleveragents run '--plan=<id>' -- sh -c 'echo hello > greeting.txt'"
    Then it ends with exit code 0
    When I do what it says after "take:"
    Then it ends with exit code 0
    And the repository has "greeting.txt" with "hello"

    Examples:
      | id            |
      | plain         |
      | --help        |
      | sp ace        |
      | $(touch no)   |
      | a/b           |
      | 🎉            |

  Scenario: What a plan id could do to a terminal is shown, not done
    When I run "cleveragents run --plan RED -- sh -c 'echo hello > greeting.txt'" where RED is a colour escape
    Then it ends with exit code 0
    And it prints nothing that a terminal would act on
    When I do what it says after "take:"
    Then it ends with exit code 0

  Scenario: The next step names the project that I named
    Given a folder elsewhere
    When I run "cleveragents --project REPOSITORY run --plan far -- sh -c 'echo hello > greeting.txt'"
    Then it ends with exit code 0
    When I do what it says after "take:"
    Then it ends with exit code 0
    And it prints "OK  Changes applied"

  Scenario: Options that every command takes may stand before its name
    When I run "cleveragents --json --timeout 20 plan list"
    Then it ends with exit code 0
    And it prints one JSON object where "command" is "plan list" and "plans" is ""
    When I run "cleveragents plan --project /no/such/place list"
    Then it ends with exit code 4
    When I run "cleveragents checkpoint --project /no/such/place list"
    Then it ends with exit code 4

  Scenario: What follows the command belongs to the command
    When I run "cleveragents run --discard ls --all --json"
    Then it ends with exit code 2
    And it complains "--json"

  Scenario Outline: Programs get JSON for a wrong command line too
    When I run "<command line>"
    Then it ends with exit code 2
    And it prints one JSON object where "error.code" is "CLI_USAGE" and "exitCode" is "2"
    And it complains of nothing

    Examples:
      | command line                                |
      | cleveragents run --json                     |
      | cleveragents nonsense --json                |
      | cleveragents plan --json                    |
      | cleveragents --json plan show --no-such     |
      | cleveragents run --json --timeout x -- true |

  Scenario: A reader that goes away is no fault
    When I run "cleveragents run --plan long --apply -- sh -c 'seq 1 99999 > long.txt'" and read nothing of it
    Then it ends with exit code 0
    And it complains of nothing
    And the repository has a file "long.txt" now

  Scenario: Output that is lost is told
    When I run "cleveragents plan list" with its output on a full disk
    Then it ends with exit code 1
    And it complains "could not be written"

  Scenario: A setup that fails keeps the sandbox and says so
    When I run "cleveragents run --plan 's f' --setup 'exit 3' -- true"
    Then it ends with exit code 3
    And it complains "cleveragents plan show 's f'"
    And it prints "Kept as plan 's f'"
    When I run "cleveragents run --json --plan machine --setup 'exit 3' -- true"
    Then it prints one JSON object where "planId" is "machine" and "decision" is "kept"

  Scenario: Interrupting the command keeps what it did
    When I run "cleveragents run --plan cut -- sh -c 'echo half > half.txt; echo ready; sleep 9'" and send it "SIGINT" when it prints "ready"
    Then it ends with exit code 130
    And it prints "Kept as plan cut"
    When I run "cleveragents plan diff cut"
    Then it prints "+half"

  Scenario: A project without files or commits is refused
    Given a repository without a commit
    When I run "cleveragents run -- true"
    Then it ends with exit code 5
    And it complains "git commit"

  Scenario: An apply can be undone also when its sandbox was cleaned up since
    When I run "cleveragents run --plan greet --apply -- sh -c 'echo hello > greeting.txt'"
    And I run "cleveragents plan cleanup greet"
    And I run "cleveragents plan rollback greet"
    Then it ends with exit code 0
    And the repository has no "greeting.txt"

  Scenario: A sandbox that deletes itself
    When I run "cleveragents run --plan gone -- sh -c 'rm -rf $PWD'"
    Then it ends with exit code 3
    And it complains "The folder of the sandbox is gone"
    When I run "cleveragents plan show gone"
    Then it ends with exit code 0
    And it prints "Status      open"
    And it complains "plan cleanup gone"
    When I run "cleveragents plan exec gone -- pwd"
    Then it ends with exit code 3
    When I run "cleveragents plan cleanup gone"
    Then it ends with exit code 0
    And git knows one work tree

  Scenario: What is asked of a plan at the wrong time is explained
    When I run "cleveragents run --plan greet --apply -- sh -c 'echo hello > greeting.txt'"
    And I run "cleveragents plan apply greet"
    Then it ends with exit code 3
    And it complains "applied already"
    And it complains "cleveragents plan rollback greet"
    When I run "cleveragents plan create fresh"
    And I run "cleveragents plan rollback fresh"
    Then it ends with exit code 3
    And it complains "Nothing was done"
    When I run "cleveragents plan cleanup fresh"
    And I run "cleveragents plan exec fresh -- true"
    Then it ends with exit code 3
    And it complains "cleveragents plan restore fresh"

  Scenario: A linked folder of the project is never taken for a change
    Given the repository has a file ".gitignore" with "node_modules/"
    And the repository has an ignored file "node_modules/a.js"
    When I run "cleveragents run --link node_modules --apply -- sh -c 'echo hello > greeting.txt; git add -A; git commit -qm mine'"
    Then it ends with exit code 0
    And it prints "1 file changed"
    And git finds nothing to complain of

  Scenario: A sandbox begins with my changes when I ask for them
    Given my uncommitted change of "README.md"
    When I run "cleveragents run --plan dirty --include-dirty --apply -- sh -c 'cat README.md; echo hello > greeting.txt'"
    Then it ends with exit code 0
    And it prints "mine"
    And the repository has "README.md" with "mine"
    And the repository has "greeting.txt" with "hello"
    And git finds nothing to complain of

  Scenario: What a sandbox does not hold is said
    Given my uncommitted change of "README.md"
    When I run "cleveragents run --plan noted --link README.md -- cat README.md"
    Then it prints "first"
    And it complains "1 uncommitted change of the project is not in the sandbox"
    And it complains "README.md is tracked"
    When I run "cleveragents plan create noted"
    Then it ends with exit code 0
    When I run "cleveragents plan create noted"
    Then it ends with exit code 3
    And it complains "cleveragents plan cleanup noted"

  Scenario: A command that deletes most of the files is applied only when that is allowed
    When I run "cleveragents run --apply -- sh -c 'mkdir many && cd many && for number in $(seq 30); do echo $number > $number.txt; done'"
    Then it ends with exit code 0
    When I run "cleveragents run --plan sweep --apply -- rm -r many"
    Then it ends with exit code 3
    When I run "cleveragents run --plan purpose --apply --allow-mass-deletion -- rm -r many"
    Then it ends with exit code 0
