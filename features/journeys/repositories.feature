@journey
Feature: Repositories of every kind
  What the first engine cannot do, the installed git can: nobody has to know which one it was.

  Scenario Outline: Run, apply and take back in a repository with <what>
    Given a repository that only git can work on, with "<what>"
    When I run "cleveragents run --plan odd --apply -- sh -c 'cat src/b.txt >> a.txt; cp src/b.txt src/new.txt'"
    Then it ends with exit code 0
    And the repository has a file "src/new.txt" now
    And git finds nothing to complain of
    When I run "cleveragents plan show odd"
    Then it prints "native: the repository uses what needs the installed git"
    When I run "cleveragents plan rollback odd"
    Then it ends with exit code 0
    And the repository has no "src/new.txt"
    And git finds nothing to complain of
    And git knows one work tree

    Examples:
      | what             |
      | SHA-256          |
      | core.autocrlf    |
      | a filter         |
      | a split index    |
      | a sparse index   |
      | a partial clone  |
      | signed commits   |

  Scenario: An engine that was asked for is not replaced by another
    Given a repository that only git can work on, with "a filter"
    When I run "cleveragents run --engine isomorphic -- true"
    Then it ends with exit code 5
    And it complains "filter"
    And git finds nothing to complain of

  Scenario: An engine that does not exist is a slip of the pen
    Given a repository with a file "README.md"
    When I run "cleveragents run --engine libgit2 -- true"
    Then it ends with exit code 2
    And it complains "Allowed choices are auto, isomorphic, native"
