@journey
Feature: The doctor
  What crashes, cleaners and agents leave behind is found and explained without a write, and repaired on request.

  Scenario: A healthy project, and one without any plan
    Given a repository with a file "README.md"
    When I run "cleveragents doctor"
    Then it ends with exit code 0
    And it prints "no problems."
    And the doctor has left no trace

  Scenario: A cleaner took a sandbox
    Given a repository with a file "README.md"
    When I run "cleveragents run --plan gone --keep -- sh -c 'echo new > new.txt'"
    And a cleaner takes the sandbox of plan "gone"
    And I run "cleveragents doctor"
    Then it ends with exit code 3
    And it prints "sandbox-missing of plan gone"
    And it prints "`cleveragents doctor --fix` repairs what is safe"
    When I run "cleveragents doctor --fix"
    Then it ends with exit code 0
    And it prints "1 repaired; no problems."
    When I run "cleveragents doctor"
    Then it prints "no problems."
    When I run "cleveragents plan restore gone"
    And I run "cleveragents plan diff gone --stat"
    Then it prints "A new.txt"

  Scenario: An agent hid the project from git
    Given a repository with a file "README.md"
    When I run "cleveragents run --plan sly --keep -- git config core.bare true"
    And I run "cleveragents doctor --json"
    Then it ends with exit code 3
    And the doctor names "changed-setting" about "core.bare", to be repaired by "doctor"
    When I run "cleveragents doctor --fix"
    Then it ends with exit code 0
    When I run "cleveragents plan list"
    Then it prints "sly"

  Scenario: What only a person can judge is left alone
    Given a repository with a file "README.md"
    When I run "cleveragents run --plan sly --keep -- git config core.hooksPath .evil"
    And I run "cleveragents doctor --fix --json"
    Then it ends with exit code 3
    And the doctor names "changed-setting" about "core.hooksPath", to be repaired by "you"

  Scenario: The record of a plan of a folder is damaged
    Given a folder that is no repository
    And it holds "notes.txt" with "first"
    When I run "cleveragents run --plan copy --keep -- sh -c 'echo more >> notes.txt'"
    And the record of a plan is cut off
    And I run "cleveragents plan diff copy"
    Then it ends with exit code 3
    And it complains "cleveragents doctor"
    When I run "cleveragents doctor --fix"
    Then it ends with exit code 0
    When I run "cleveragents plan diff copy"
    Then it prints "+more"

  Scenario: A budget that makes no sense
    Given a repository with a file "README.md"
    When I run "cleveragents doctor --store-budget much"
    Then it ends with exit code 2
